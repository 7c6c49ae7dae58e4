#include "request/settings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/number_text.h"
#include "rivulet/error.h"
#include "rivulet/input_set.h"
#include "rivulet/loss.h"

namespace rivulet::request {
namespace {

using R = StreamOptions;

// --- words

constexpr std::array<std::pair<TreeDecoding, std::string_view>, 2> kDecodings{
    {{TreeDecoding::optimal, "optimal"}, {TreeDecoding::paper, "paper"}}};
constexpr std::array<std::pair<Solver, std::string_view>, 3> kSolvers{
    {{Solver::by_profile, "auto"}, {Solver::fast, "fast"}, {Solver::noisy_proj_grad, "noisy-proj-grad"}}};
constexpr std::array<std::pair<ErmMethod, std::string_view>, 3> kMethods{
    {{ErmMethod::gradient_descent, "gradient-descent"},
     {ErmMethod::frank_wolfe, "frank-wolfe"},
     {ErmMethod::output_perturbation, "output-perturbation"}}};
constexpr std::array<std::pair<ErmTauRule, std::string_view>, 3> kTauRules{
    {{ErmTauRule::convex, "convex"}, {ErmTauRule::strongly_convex, "strongly-convex"}, {ErmTauRule::width, "width"}}};
constexpr std::array<std::pair<Neighbours, std::string_view>, 2> kNeighbours{
    {{Neighbours::replace, "replace"}, {Neighbours::zero_out, "zero-out"}}};
constexpr std::array<std::pair<Profile, std::string_view>, 2> kProfiles{
    {{Profile::tight, "tight"}, {Profile::paper, "paper"}}};
constexpr std::array<std::pair<StrategyKind, std::string_view>, 3> kStrategies{
    {{StrategyKind::blt, "blt"}, {StrategyKind::tree, "tree"}, {StrategyKind::hybrid, "hybrid"}}};
constexpr std::array<std::pair<EmbeddingKind, std::string_view>, 2> kEmbeddings{
    {{EmbeddingKind::sparse_sign, "sparse-sign"}, {EmbeddingKind::gaussian, "gaussian"}}};

constexpr std::array<std::pair<Mechanism, std::string_view>, 6> kMechanisms{{{Mechanism::full, "full"},
                                                                             {Mechanism::sketch, "sketch"},
                                                                             {Mechanism::erm, "erm"},
                                                                             {Mechanism::surrogate, "surrogate"},
                                                                             {Mechanism::naive, "naive"},
                                                                             {Mechanism::trivial, "trivial"}}};

// The span's type is not deduced from an array.
template <typename Value, std::size_t N>
Value word_in(Given given, const std::array<std::pair<Value, std::string_view>, N>& words) {
  return given.word<Value>(words);
}
template <typename Value, std::size_t N>
Json word_json(Value value, const std::array<std::pair<Value, std::string_view>, N>& words) {
  const std::string_view word = word_of<Value>(words, value);
  return word.empty() ? Json() : Json(word);
}

// --- parts of a request

ErmSettings& erm_of(R& request) {
  return request.erm ? *request.erm : request.erm.emplace();
}
Sketch& sketch_of(R& request) {
  return request.sketch ? *request.sketch : request.sketch.emplace();
}
PrivacyUnit& unit_of(R& request) {
  return request.unit ? *request.unit : request.unit.emplace(PrivacyUnit{"", 0});
}
template <typename Value>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}
Json number_json(double number) {
  return std::isnan(number) ? Json() : Json(number);
}

// Of the trivial mechanism nothing is decided that anybody would heed.
bool calls_a_solver(const R& request) {
  return request.erm && request.erm->mechanism != ErmMechanism::trivial;
}
bool chooses_tau(const R& request) {
  return request.erm && request.erm->mechanism == ErmMechanism::periodic;
}

// Of a number of dimensions, "auto" or "paper".
void read_sketch(Given given, R& request) {
  constexpr auto kAccepted = "a number of dimensions, e.g. 400, auto (the one of least predicted error) or paper";
  Sketch& sketch = sketch_of(request);
  sketch.dimension.reset();
  sketch.rule = SketchRule::predicted_risk;
  if (given.value == "auto") return;
  if (given.value == "paper") {
    sketch.rule = SketchRule::paper;
  } else {
    sketch.dimension = given.positive_whole(kAccepted);
  }
}
Json write_sketch(const R& request) {
  if (!request.sketch) return {};
  if (request.sketch->dimension) return *request.sketch->dimension;
  return request.sketch->rule == SketchRule::paper ? "paper" : "auto";
}

void read_mechanism(Given given, R& request) {
  request.mechanism = word_in(given, kMechanisms);
  if (!is_erm(*request.mechanism)) return;
  erm_of(request).mechanism = *request.mechanism == Mechanism::naive     ? ErmMechanism::naive
                              : *request.mechanism == Mechanism::trivial ? ErmMechanism::trivial
                                                                         : ErmMechanism::periodic;
}
Json write_mechanism(const R& request) {
  if (request.mechanism) return to_string(*request.mechanism);
  if (!request.erm) return {};
  return request.erm->mechanism == ErmMechanism::naive     ? "naive"
         : request.erm->mechanism == ErmMechanism::trivial ? "trivial"
                                                           : "erm";
}

// --- forms of what is not in the request: of the schema, which columns.cc reads, and of the tool

void name_only(Given given, R& /*request*/) {
  (void)given.text("the name of a column");
}
void path_only(Given given, R& /*request*/) {
  (void)given.text("a path");
}
void toggle_only(Given given, R& /*request*/) {
  (void)given.truth();
}
constexpr auto kLevels = "a list of two or more different levels, e.g. AA|UA|DL";

constexpr Mechanisms kSums = only(Mechanism::full) | only(Mechanism::sketch) | only(Mechanism::surrogate);
constexpr Mechanisms kCalls = only(Mechanism::erm) | only(Mechanism::naive);

// One row, and what is special about it.
struct Row : Setting {
  [[nodiscard]] constexpr Row of(Scope whose) const {
    Row row = *this;
    row.scope = whose;
    return row;
  }
  [[nodiscard]] constexpr Row shaped(Shape form, std::string_view help_of_no = {}) const {
    Row row = *this;
    row.shape = form;
    row.no_help = help_of_no;
    return row;
  }
  [[nodiscard]] constexpr Row for_mechanisms(Mechanisms mechanisms) const {
    Row row = *this;
    row.holds_for = mechanisms;
    return row;
  }
  [[nodiscard]] constexpr Row as_flag(std::string_view word) const {
    Row row = *this;
    row.flag = word;
    return row;
  }
  [[nodiscard]] constexpr Row stored_as(std::string_view path, Json (*form)(const R&) = nullptr) const {
    Row row = *this;
    row.stored = {path, false, form};
    return row;
  }
  [[nodiscard]] constexpr Row stored_unless_null(std::string_view path, Json (*form)(const R&) = nullptr) const {
    Row row = *this;
    row.stored = {path, true, form};
    return row;
  }
};

constexpr Row row(std::string_view key, std::string_view value, std::string_view help, Group group,
                  void (*read)(Given, R&), Json (*write)(const R&) = nullptr) {
  return Row{{.key = key,
              .value = value,
              .help = help,
              .group = group,
              .read = read,
              .write = write,
              .stored = {write == nullptr ? "" : key}}};
}

constexpr auto kTable = std::to_array<Setting>({
    row("input", "FILE", "Rows: plain or gzip; '-' or nothing: standard input", Group::input, path_only)
        .of(Scope::tool),
    row("format", "WORD", "How rows are written; by the file's name unless given, else csv", Group::rows,
        [](Given g, R&) { (void)g.text("a format, e.g. csv"); })
        .of(Scope::tool),
    row("target", "NAME", "Column to predict", Group::rows, name_only).of(Scope::schema),
    row("features", "A,B,C", "Columns to predict from, in this order", Group::rows,
        [](Given g, R&) { (void)g.names(); })
        .of(Scope::schema)
        .shaped(Shape::names),
    row("bounds", "NAME=LO:HI", "Declared bounds of a numeric column; one flag for each, the target included",
        Group::rows,
        [](Given g, R&) {
          g.require_table();
          for (const auto& [name, bounds] : g.value.items()) (void)Given{bounds, g.field + " " + name}.interval();
        })
        .of(Scope::schema)
        .shaped(Shape::columns)
        .as_flag("bound"),
    row("block", "NAME:COLUMNS",
        "Many numeric columns of the same bounds, NAME1 to NAMEn, declared at once; --bound NAME=LO:HI is for all of "
        "them. May be repeated",
        Group::rows,
        [](Given g, R&) {
          for (const std::string& text : g.texts("name:columns, e.g. word:4000"))
            (void)Given{Json(text), g.field}.block();
        })
        .of(Scope::schema)
        .shaped(Shape::texts),
    row("dimension", "D",
        "Short for --block x:D and, unless given, --target y: what a libsvm file with indices up to D needs",
        Group::rows, [](Given g, R&) { (void)g.positive_whole(); })
        .of(Scope::schema),
    row("levels", "'NAME=A|B|C'",
        "Declared levels of a categorical column; one flag for each; the first level is the reference", Group::rows,
        [](Given g, R&) {
          g.require_table();
          for (const auto& [name, levels] : g.value.items()) {
            const Given of_column{levels, g.field + " " + name};
            if (!levels.is_array()) of_column.refuse(kLevels);
            const std::vector<std::string> names = of_column.texts(kLevels);
            if (names.size() < 2 || std::set(names.begin(), names.end()).size() != names.size())
              of_column.refuse(kLevels);
          }
        })
        .of(Scope::schema)
        .shaped(Shape::columns),
    row("classes", "NEG,POS",
        "The target is one of two classes, numbers or words, the negative one first, instead of a number with a "
        "--bound; a row with anything else is unusable. 'NEG|POS' for words with commas",
        Group::rows, [](Given g, R&) { (void)g.classes(); })
        .of(Scope::schema),
    row("intercept", "", "Fit with an intercept (default; undoes a configuration file's)", Group::rows, toggle_only)
        .of(Scope::schema)
        .shaped(Shape::toggle, "Fit through the origin"),
    row("clip-norm", "R",
        "Shorten rows above this norm, each column scaled to [-1, 1]: less noise if most rows are shorter. With a "
        "block it must be said, or follows from --only-if 'nonzeros<=K'",
        Group::rows, [](Given g, R&) { (void)g.positive(); })
        .of(Scope::schema),
    row(
        "epsilon", "E", "Privacy budget of all releases together; smaller is more private. No default", Group::promise,
        [](Given g, R& r) { r.budget.epsilon = g.positive(); },
        [](const R& r) { return number_json(r.budget.epsilon); }),
    row(
        "delta", "D", "Probability with which the promise may fail. No default", Group::promise,
        [](Given g, R& r) {
          constexpr auto kAccepted = "a number above 0 and below 1, e.g. 1e-6";
          r.budget.delta = g.number(kAccepted);
          if (!(r.budget.delta > 0.0) || !(r.budget.delta < 1.0)) g.refuse(r.budget.delta, kAccepted);
        },
        [](const R& r) { return number_json(r.budget.delta); }),
    row(
        "neighbours", "WORD",
        "What is hidden: 'replace' (a row's whole content; default) or 'zero-out' (its presence; less noise)",
        Group::promise, [](Given g, R& r) { r.neighbours = word_in(g, kNeighbours); },
        [](const R& r) { return word_json(r.neighbours, kNeighbours); }),
    row(
        "unit", "COLUMN", "Protect all rows of one unit together: the column that says whose row it is, e.g. person_id",
        Group::promise, [](Given g, R& r) { unit_of(r).name = g.text("the name of a column"); },
        [](const R& r) { return r.unit && !r.unit->name.empty() ? Json(r.unit->name) : Json(); })
        .stored_as("unit/name"),
    row(
        "max-rows-per-unit", "K",
        "With --unit: how many rows of one unit count; later ones are zero rows. Noise grows with it", Group::promise,
        [](Given g, R& r) { unit_of(r).max_rows = g.positive_whole(); },
        [](const R& r) { return r.unit && r.unit->max_rows != 0 ? Json(r.unit->max_rows) : Json(); })
        .stored_as("unit/max-rows"),
    row(
        "only-if", "CONDITION",
        "Use only rows that meet a condition, others count as zero rows: nonzeros<=K, l1<=R or COLUMN=LO:HI; may be "
        "repeated",
        Group::rows, [](Given g, R& r) { r.only_if = g.texts("a condition, e.g. \"age=18:65\", or a list of them"); },
        [](const R& r) { return Json(r.only_if); })
        .shaped(Shape::texts),
    row("delimiter", "CHAR", "Field separator of CSV; ',' unless given, 'tab' for tabs", Group::rows,
        [](Given g, R&) { (void)g.delimiter(); })
        .of(Scope::tool),
    row(
        "profile", "WORD",
        "Constants: 'tight' (default) or 'paper' (those of Private Incremental Regression, for comparison)",
        Group::promise, [](Given g, R& r) { r.profile = word_in(g, kProfiles); },
        [](const R& r) { return word_json(r.profile, kProfiles); }),
    row(
        "horizon", "N|unbounded", "How many steps the promise covers: a number, or 'unbounded' (default)",
        Group::promise, [](Given g, R& r) { r.horizon = g.horizon(); },
        [](const R& r) { return r.horizon.is_known() ? Json(r.horizon.steps()) : Json("unbounded"); }),
    row(
        "release-every", "N", "Rows in a step: a release after each step; 1 unless given", Group::mechanism,
        [](Given g, R& r) { r.release_every = g.positive_whole(); }, [](const R& r) { return Json(r.release_every); }),
    row(
        "strategy", "WORD", "Noise correlation: 'blt' (default), 'tree' (needs a horizon) or 'hybrid'",
        Group::mechanism, [](Given g, R& r) { r.strategy = word_in(g, kStrategies); },
        [](const R& r) { return r.strategy ? word_json(*r.strategy, kStrategies) : Json(); })
        .for_mechanisms(kSums),
    row(
        "buffers", "K", "Buffers of the blt strategy, 1 to 8; chosen unless given", Group::mechanism,
        [](Given g, R& r) { r.buffers = static_cast<unsigned>(g.positive_whole("a whole number from 1 to 8", 8)); },
        [](const R& r) { return json_of(r.buffers); })
        .for_mechanisms(kSums),
    row(
        "tree-decoding", "WORD", "'optimal' (default) or 'paper'; costs no privacy", Group::mechanism,
        [](Given g, R& r) { r.tree_decoding = word_in(g, kDecodings); },
        [](const R& r) { return r.tree_decoding ? word_json(*r.tree_decoding, kDecodings) : Json(); })
        .for_mechanisms(kSums),
    row(
        "constraint", "KIND:R",
        "Set the coefficients are fitted over, feature and target each scaled to [-1, 1]: l2:R, l1:R, lp:P:R, "
        "simplex, group:K:R, box:LO:HI, elastic:A:R or polytope:FILE; l2:2 unless given",
        Group::mechanism, [](Given g, R& r) { r.constraint = g.text("a constraint set, e.g. l2:1.5"); },
        [](const R& r) { return Json(r.constraint); }),
    row(
        "solver", "WORD",
        "How the noisy objective is minimised: 'fast', or 'noisy-proj-grad' (the paper's; needs a horizon); by the "
        "profile unless given. Costs no privacy",
        Group::mechanism, [](Given g, R& r) { r.solver = word_in(g, kSolvers); },
        [](const R& r) { return r.solver == Solver::by_profile ? Json() : word_json(r.solver, kSolvers); }),
    row(
        "noise-aware-ridge", "", "Shrink a model as far as its noise asks for (default)", Group::mechanism,
        [](Given g, R& r) { r.noise_aware_ridge = g.truth(); }, [](const R& r) { return Json(r.noise_aware_ridge); })
        .shaped(Shape::toggle, "Fit to the noisy sums as they are"),
    row(
        "insecure-seed", "SEED",
        "Deterministic noise for tests: the output is NOT private, and says so. A whole number", Group::output,
        [](Given g, R& r) { r.insecure_seed = g.whole(); }, [](const R& r) { return json_of(r.insecure_seed); }),
    row("sketch", "M|auto|paper",
        "Dimensions of the sketch; implies --mechanism sketch. 'auto' (default): those of least predicted error, see "
        "rivulet plan; 'paper': the paper's rule",
        Group::dimensions, read_sketch, write_sketch)
        .for_mechanisms(only(Mechanism::sketch))
        .stored_as("sketch/dimension"),
    row(
        "embedding", "WORD", "The sketch's matrix: 'sparse-sign' (default; fast) or 'gaussian' (the paper's)",
        Group::dimensions, [](Given g, R& r) { sketch_of(r).embedding = word_in(g, kEmbeddings); },
        [](const R& r) {
          return r.sketch && r.sketch->embedding ? word_json(*r.sketch->embedding, kEmbeddings) : Json();
        })
        .for_mechanisms(only(Mechanism::sketch))
        .stored_as("sketch/embedding"),
    row(
        "column-weight", "S", "Entries in a column of the sparse-sign matrix, 1 to 64; 32 unless given",
        Group::dimensions,
        [](Given g, R& r) {
          sketch_of(r).column_weight = static_cast<unsigned>(g.positive_whole("a whole number from 1 to 64", 64));
        },
        [](const R& r) { return r.sketch ? json_of(r.sketch->column_weight) : Json(); })
        .for_mechanisms(only(Mechanism::sketch))
        .stored_as("sketch/column-weight"),
    row(
        "sketch-seed", "N",
        "Seed of the sketch's matrix, a whole number; drawn unless given. Public: privacy does not rest on it, but do "
        "not choose it after looking at rows",
        Group::dimensions, [](Given g, R& r) { sketch_of(r).seed = g.whole(); },
        [](const R& r) { return r.sketch ? json_of(r.sketch->seed) : Json(); })
        .for_mechanisms(only(Mechanism::sketch))
        .stored_as("sketch/seed"),
    row(
        "row-set", "KIND",
        "What rows are like, for choosing the sketch; rows outside are used all the same: dense, sparse:K (at most K "
        "values are not 0) or l1:R (absolute values in box units sum to R or less)",
        Group::dimensions, [](Given g, R& r) { r.input_set = g.text("dense, sparse:K or l1:R"); },
        [](const R& r) { return r.input_set.empty() ? Json() : Json(r.input_set); })
        .for_mechanisms(kSums)
        .stored_unless_null("row-set"),
    row(
        "loss", "KIND",
        "What the model pays for being wrong. Numbers: squared (default), huber:T (outliers count less: straight "
        "beyond T half ranges of the target), quantile:Q (the Q-quantile; 0.5 the median). Two classes: logistic "
        "(default with --classes; probabilities), hinge, smooth-hinge:W (the sign alone). All but squared imply "
        "--mechanism erm, which needs 4 (columns + 1) bytes of memory for every row; logistic in constant memory, "
        "with probabilities a little off, is --mechanism surrogate",
        Group::losses, [](Given g, R& r) { r.loss = g.text("a loss, e.g. logistic or quantile:0.9"); },
        [](const R& r) { return r.loss.empty() ? Json() : Json(r.loss); })
        .stored_unless_null("loss", [](const R& r) { return r.loss == "squared" ? Json() : Json(r.loss); }),
    row(
        "margin", "M",
        "Of the surrogate: the log-odds, up to this size, that it is to be good for. A guess made without looking; 4 "
        "unless given",
        Group::losses, [](Given g, R& r) { r.surrogate_margin = g.positive(); },
        [](const R& r) { return json_of(r.surrogate_margin); })
        .for_mechanisms(only(Mechanism::surrogate))
        .stored_unless_null("surrogate-margin"),
    row("mechanism", "WORD",
        "'full' (default for squares): sums over all pairs of features, for up to some hundred features. 'sketch': "
        "rows are projected to fewer dimensions first, for thousands or millions (PrivIncReg2). 'erm' (default for "
        "other losses): keeps all rows and goes over them again every tau steps (PrivIncERM). 'surrogate': logistic "
        "regression from the sums of 'full', in constant memory. To compare with: 'naive' (a call at every step), "
        "'trivial' (ignores the data)",
        Group::mechanism, read_mechanism, write_mechanism)
        .stored_as("erm/mechanism"),
    row(
        "method", "WORD",
        "The solver: 'gradient-descent', 'frank-wolfe' (default for narrow sets such as l1:R and smooth losses) or "
        "'output-perturbation' (the minimiser itself with noise: smooth losses over l2:R with a --ridge)",
        Group::losses, [](Given g, R& r) { erm_of(r).method = word_in(g, kMethods); },
        [](const R& r) { return calls_a_solver(r) ? word_json(r.erm->method, kMethods) : Json(); })
        .for_mechanisms(kCalls)
        .stored_as("erm/method", [](const R& r) { return word_json(r.erm->method, kMethods); }),
    row(
        "tau-rule", "WORD",
        "The paper's choice of tau, Theorem 3.1: 'convex', 'strongly-convex' (default with --ridge) or 'width' "
        "(default for frank-wolfe)",
        Group::losses, [](Given g, R& r) { erm_of(r).rule = word_in(g, kTauRules); },
        [](const R& r) { return chooses_tau(r) ? word_json(r.erm->rule, kTauRules) : Json(); })
        .for_mechanisms(only(Mechanism::erm))
        .stored_as("erm/rule", [](const R& r) { return word_json(r.erm->rule, kTauRules); }),
    row(
        "tau", "N",
        "Steps between calls of the solver. Rare calls are quiet and old, frequent ones noisy and fresh; by "
        "--tau-rule unless given",
        Group::losses, [](Given g, R& r) { erm_of(r).tau = g.positive_whole(); },
        [](const R& r) {
          return chooses_tau(r) || (calls_a_solver(r) && r.erm->tau != 1U) ? json_of(r.erm->tau) : Json();
        })
        .for_mechanisms(only(Mechanism::erm))
        .stored_as("erm/tau", [](const R& r) { return json_of(r.erm->tau); }),
    row(
        "ridge", "NU",
        "Adds (NU / 2) |theta|^2 a row, rows scaled to the unit ball: fewer sums and less noise for a model drawn to 0",
        Group::losses,
        [](Given g, R& r) {
          constexpr auto kAccepted = "a finite number, 0 or more";
          erm_of(r).ridge = g.number(kAccepted);
          if (r.erm->ridge < 0.0) g.refuse(r.erm->ridge, kAccepted);
        },
        [](const R& r) { return r.erm && r.erm->ridge != 0.0 ? Json(r.erm->ridge) : Json(); })
        .for_mechanisms(kCalls)
        .stored_as("erm/ridge", [](const R& r) { return Json(r.erm->ridge); }),
    row(
        "late-weight", "A",
        "Call j has a share of the budget proportional to j^A: better at the end, worse before. Needs a horizon; 0 "
        "unless given",
        Group::losses, [](Given g, R& r) { erm_of(r).late_weight = g.number(); },
        [](const R& r) { return r.erm && r.erm->late_weight != 0.0 ? Json(r.erm->late_weight) : Json(); })
        .for_mechanisms(kCalls)
        .stored_as("erm/late-weight", [](const R& r) { return Json(r.erm->late_weight); }),
    row(
        "iterations", "N", "Noisy sums a call; chosen for its rows and budget unless given", Group::losses,
        [](Given g, R& r) { erm_of(r).iterations = g.positive_whole(); },
        [](const R& r) { return r.erm ? json_of(r.erm->iterations) : Json(); })
        .for_mechanisms(kCalls)
        .stored_as("erm/iterations"),
    row(
        "batches", "N", "Parts of a pass of gradient-descent over the rows; 1 unless given", Group::losses,
        [](Given g, R& r) { erm_of(r).batches = g.positive_whole(); },
        [](const R& r) { return r.erm && r.erm->batches != 1 ? Json(r.erm->batches) : Json(); })
        .for_mechanisms(kCalls)
        .stored_as("erm/batches", [](const R& r) { return Json(r.erm->batches); }),
    row(
        "average", "", "Publish a mean over the last few calls (default; not with --profile paper)", Group::losses,
        [](Given g, R& r) { erm_of(r).averaged = g.truth(); },
        [](const R& r) { return calls_a_solver(r) ? json_of(r.erm->averaged) : Json(); })
        .shaped(Shape::toggle, "Publish the last call's model, as the paper does")
        .for_mechanisms(kCalls)
        .stored_as("erm/averaged", [](const R& r) { return json_of(r.erm->averaged); }),
    row("model", "FILE", "Keep the stream in this file: stopped or crashed, the same command goes on at the next row",
        Group::durable, path_only)
        .of(Scope::tool),
    row("whole-steps", "",
        "At the end of the input, rows of an unfinished step wait in the model instead of making a short one",
        Group::durable, toggle_only)
        .of(Scope::tool)
        .shaped(Shape::toggle, "The end of the input ends the step (default; undoes a configuration file's)"),
    row("quiet", "", "No progress on standard error", Group::output, toggle_only)
        .of(Scope::tool)
        .shaped(Shape::toggle, "Progress on standard error (default; undoes a configuration file's)"),
    row("releases", "FILE", "Write every release as a JSON line to this file, '-' for standard output", Group::output,
        path_only)
        .of(Scope::tool),
});

[[noreturn]] void refuse_key(const std::string& key) {
  std::vector<std::string_view> keys;
  for (const Setting& setting : kTable) keys.push_back(setting.key);
  if (const std::string_view suggestion = nearest(key, keys); !suggestion.empty()) {
    throw RequestError(key, "there is no such setting; did you mean " + shown(suggestion) + "?");
  }
  std::string accepted;
  for (const std::string_view known : keys) accepted += (accepted.empty() ? "" : ", ") + std::string(known);
  throw RequestError(key, "there is no such setting; accepted: " + accepted);
}

// The target has bounds or classes, a column bounds or levels: whichever was said last.
void merge_columns(Settings& base, const Settings& overrides) {
  const std::string target = base.value("target", "y");  // see with_dimension()
  const auto drop = [&](const char* kind, const std::string& column) {
    if (base.contains(kind)) base[kind].erase(column);
  };
  if (overrides.contains("classes")) drop("bounds", target);
  for (const auto& [kind, other] : {std::pair("bounds", "levels"), std::pair("levels", "bounds")}) {
    if (!overrides.contains(kind)) continue;
    for (const auto& [column, value] : overrides[kind].items()) {
      drop(other, column);
      base[kind][column] = value;
      if (column == target) base.erase("classes");
    }
  }
}

// By name; a block that is declared again has its new size.
Json merged_blocks(const Settings& base, const Json& more) {
  constexpr auto kAccepted = "name:columns, e.g. word:4000";
  const std::string key = "block";
  const auto name_of = [&](const std::string& text) { return Given{Json(text), key}.block().first; };
  std::vector<std::string> blocks;
  if (base.contains("block")) blocks = Given{base["block"], key}.texts(kAccepted);
  for (const std::string& text : Given{more, key}.texts(kAccepted)) {
    const std::string name = name_of(text);
    std::erase_if(blocks, [&](const std::string& block) { return name_of(block) == name; });
    blocks.push_back(text);
  }
  return blocks;
}

}  // namespace

std::string_view title(Group group) {
  switch (group) {
    case Group::input:
      return "Input";
    case Group::rows:
      return "What the rows are";
    case Group::promise:
      return "What is promised";
    case Group::mechanism:
      return "How it is done";
    case Group::losses:
      return "Losses other than least squares";
    case Group::dimensions:
      return "Rows of many columns";
    case Group::durable:
      return "A model that lives on";
    case Group::output:
      break;
  }
  return "What comes out";
}

std::span<const Setting> settings() {
  return kTable;
}

std::string_view to_string(Mechanism mechanism) {
  return word_of<Mechanism>(kMechanisms, mechanism);
}

std::string_view to_string(ErmMethod method) {
  return method == ErmMethod::by_set ? "by the set" : word_of<ErmMethod>(kMethods, method);
}

std::string_view to_string(ErmTauRule rule) {
  return rule == ErmTauRule::by_method ? "by the method" : word_of<ErmTauRule>(kTauRules, rule);
}

const Setting* find_setting(std::string_view key) {
  const auto* const found =
      std::find_if(kTable.begin(), kTable.end(), [&](const Setting& setting) { return setting.key == key; });
  return found == kTable.end() ? nullptr : &*found;
}

void require_readable(const Settings& given) {
  if (!given.is_object()) throw RequestError("settings", "not a table of keys and values");
  StreamOptions ignored;
  for (const auto& [key, value] : given.items()) {
    const Setting* setting = find_setting(key);
    if (setting == nullptr) refuse_key(key);
    setting->read({value, key}, ignored);
  }
  if (given.contains("tau") && given.contains("tau-rule")) {
    throw RequestError("tau-rule", "chooses tau, and tau says it; accepted: one of the two");
  }
}

Settings merge(Settings base, const Settings& overrides) {
  if (overrides.contains("mechanism")) {
    const Mechanism asked = mechanism_of(overrides);
    for (const Setting& setting : kTable) {
      if ((setting.holds_for & only(asked)) == 0) base.erase(std::string(setting.key));
    }
  }
  if (overrides.contains("sketch")) base.erase("mechanism");
  if (overrides.contains("tau-rule")) base.erase("tau");
  for (const auto& [key, value] : overrides.items()) {
    if (key == "bounds" || key == "levels") continue;
    base[key] = key == "block" ? merged_blocks(base, value) : value;
  }
  merge_columns(base, overrides);
  return base;
}

}  // namespace rivulet::request
