#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "fit/mechanism.h"
#include "log/statistics_bytes.h"
#include "request/settings.h"
#include "rivulet/error.h"

namespace rivulet::request {
namespace {

using Options = StreamOptions;
using nlohmann::ordered_json;

Options plain() {
  Options options;
  options.budget = {1.0, 1e-6};
  options.schema.feature("x", {-1, 1}).feature("z", {0, 5}).target("y", {-1, 1});
  options.insecure_seed = 5;
  return options;
}

std::vector<Options> many_requests() {
  std::vector<Options> all;
  for (const StrategyKind strategy : {StrategyKind::blt, StrategyKind::tree, StrategyKind::hybrid}) {
    for (const Horizon& horizon : {Horizon::unbounded(), Horizon::known(1), Horizon::known(1'000'000'007)}) {
      for (const Neighbours neighbours : {Neighbours::replace, Neighbours::zero_out}) {
        Options options = plain();
        options.strategy = strategy;
        options.horizon = horizon;
        options.neighbours = neighbours;
        if (strategy != StrategyKind::blt) options.tree_decoding = TreeDecoding::paper;
        all.push_back(options);
      }
    }
  }
  for (const unsigned buffers : {1U, 2U, 8U}) {
    all.push_back(plain());
    all.back().buffers = buffers;
  }
  all.push_back(plain());
  all.back().profile = Profile::paper;
  all.back().horizon = Horizon::known(100);
  all.push_back(plain());
  all.back().solver = Solver::noisy_proj_grad;
  all.back().horizon = Horizon::known(100);
  all.push_back(plain());
  all.back().noise_aware_ridge = false;
  all.back().constraint = "l1:0.1";
  all.back().schema.intercept(false).clip_norm(0.1 + 0.2);
  all.push_back(plain());
  all.back().unit = PrivacyUnit{"a \"person\",\n\t\\ \x7f \xe2\x82\xac", std::uint64_t{1} << 20};
  all.back().only_if = {"x=0:1", "z=0.1:0.30000000000000004"};
  for (const std::uint64_t seed :
       {std::uint64_t{0}, (std::uint64_t{1} << 53) + 1, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    all.push_back(plain());
    all.back().insecure_seed = seed;
  }
  all.push_back(plain());
  all.back().insecure_seed.reset();
  all.back().release_every = std::uint64_t{1} << 30;
  // Names that mean something to JSON, to CSV and to SQL; numbers at the ends of what there is.
  all.emplace_back();
  all.back().budget = {std::numeric_limits<double>::denorm_min() * 3, std::numeric_limits<double>::min()};
  all.back()
      .schema.feature("{\"a\":1}", {-1.7976931348623157e308, 1.7976931348623157e308})
      .feature("null", {0.1, std::nextafter(0.1, 1.0) + 1e-9})
      .feature("-0", {-0.0, 2.2250738585072014e-308 + 1e-50})
      .categorical("'; DROP TABLE public_release; --", {"\xf0\x9f\x92\xa7", "\\u0000", " ", "a,b", "\"", "true"})
      .target("\xc3\xa9\x01\x1f", {-1e-90, 1e-90});
  return all;
}

// Every field of two requests.
bool same(const Options& a, const Options& b) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const auto same_bounds = [&](Interval x, Interval y) { return bits(x.lo) == bits(y.lo) && bits(x.hi) == bits(y.hi); };
  bool equal = bits(a.budget.epsilon) == bits(b.budget.epsilon) && bits(a.budget.delta) == bits(b.budget.delta) &&
               a.neighbours == b.neighbours && a.unit.has_value() == b.unit.has_value() && a.only_if == b.only_if &&
               a.profile == b.profile && a.horizon.is_known() == b.horizon.is_known() &&
               a.release_every == b.release_every && a.strategy == b.strategy && a.buffers == b.buffers &&
               a.tree_decoding == b.tree_decoding && a.constraint == b.constraint && a.solver == b.solver &&
               a.noise_aware_ridge == b.noise_aware_ridge && a.insecure_seed == b.insecure_seed;
  if (a.unit && b.unit) equal = equal && a.unit->name == b.unit->name && a.unit->max_rows == b.unit->max_rows;
  if (a.horizon.is_known() && b.horizon.is_known()) equal = equal && a.horizon.steps() == b.horizon.steps();
  const Schema& s = a.schema;
  const Schema& t = b.schema;
  equal = equal && s.target_name() == t.target_name() && same_bounds(s.target_bounds(), t.target_bounds()) &&
          s.has_intercept() == t.has_intercept() && s.clip_norm().has_value() == t.clip_norm().has_value() &&
          (!s.clip_norm() || bits(*s.clip_norm()) == bits(*t.clip_norm())) &&
          s.features().size() == t.features().size();
  for (std::size_t i = 0; equal && i < s.features().size(); ++i) {
    const Feature& f = s.features()[i];
    const Feature& g = t.features()[i];
    equal = f.name == g.name && f.domain.index() == g.domain.index();
    if (!equal) break;
    equal = std::holds_alternative<Interval>(f.domain)
                ? same_bounds(std::get<Interval>(f.domain), std::get<Interval>(g.domain))
                : std::get<Levels>(f.domain).names == std::get<Levels>(g.domain).names;
  }
  return equal;
}

std::string refusal(const std::string& text) {
  try {
    (void)read_stored(text);
    return "accepted";
  } catch (const RequestError& error) {
    return error.what();
  }
}

TEST(StoredRequest, ReadBackARequestIsTheSameBitForBit) {
  for (const Options& wanted : many_requests()) {
    const Options options = fit::with_defaults(wanted);
    const std::string text = stored_text(options);
    const Options back = read_stored(text);
    EXPECT_TRUE(same(options, back)) << text;
    EXPECT_EQ(stored_text(back), text);
    EXPECT_EQ(first_difference(options, back), "");
  }
}

TEST(StoredRequest, AMissingAnUnknownAndAMistypedKeyAreDamage) {
  for (const Options& wanted : many_requests()) {
    const auto sound = ordered_json::parse(stored_text(fit::with_defaults(wanted)));
    ordered_json more = sound;
    more["surprise"] = 1;
    EXPECT_NE(refusal(more.dump()).find("surprise"), std::string::npos);
    for (const auto& [key, value] : sound.items()) {
      ordered_json missing = sound;
      missing.erase(key);
      EXPECT_NE(refusal(missing.dump()).find(key), std::string::npos) << refusal(missing.dump());
      for (const ordered_json& wrong :
           {ordered_json(ordered_json::object({{"no", 1}})), ordered_json("not a word of it"), ordered_json(-7),
            ordered_json(ordered_json::array({7, "x"}))}) {
        ordered_json mistyped = sound;
        mistyped[key] = wrong;
        // A constraint may be any text, here; a negative number is a number. Both are refused later, by who uses them.
        if ((key == "constraint" && wrong.is_string()) || (key == "clip-norm" && wrong.is_number())) continue;
        EXPECT_NE(refusal(mistyped.dump()), "accepted") << key << " " << wrong;
      }
    }
  }
}

TEST(StoredRequest, WhatIsNoRequestIsDamageInOneLine) {
  const std::string sound = stored_text(fit::with_defaults(plain()));
  for (std::size_t length = 0; length < sound.size(); ++length) {
    const std::string why = refusal(sound.substr(0, length));
    EXPECT_NE(why, "accepted");
    EXPECT_EQ(why.find('\n'), std::string::npos);
  }
  for (const std::string& text : {std::string("null"), std::string("[]"), std::string("{}"), std::string("1e999"),
                                  std::string(100'000, '['), sound + " x", std::string("{\"a\":\xff}")}) {
    EXPECT_NE(refusal(text), "accepted") << text.substr(0, 40);
  }
}

Options sketched() {
  Options options;
  options.budget = {1.0, 1e-6};
  options.schema.block("word", 100000, {-0.5, 3.0}).feature("z", {0, 5}).target("y", {-1, 1}).clip_norm(1.0);
  options.constraint = "l1:2";
  options.sketch = Sketch{.dimension = 50, .column_weight = 7, .seed = ~std::uint64_t{0} - 1};
  options.input_set = "sparse:10";
  options.insecure_seed = 5;
  return fit::with_defaults(options);
}

TEST(StoredRequest, ReadBackASketchItsBlocksAndItsRowsAreTheSame) {
  for (const EmbeddingKind kind : {EmbeddingKind::sparse_sign, EmbeddingKind::gaussian}) {
    Options options = sketched();
    options.sketch->embedding = kind;
    const Options back = read_stored(stored_text(options));
    ASSERT_TRUE(back.sketch.has_value());
    EXPECT_EQ(back.sketch->dimension, options.sketch->dimension);
    EXPECT_EQ(back.sketch->embedding, kind);
    EXPECT_EQ(back.sketch->column_weight, options.sketch->column_weight);
    EXPECT_EQ(back.sketch->seed, options.sketch->seed);
    EXPECT_EQ(back.input_set, "sparse:10");
    const Block& block = std::get<Block>(back.schema.features()[0].domain);
    EXPECT_EQ(block.columns, 100000U);
    EXPECT_EQ(block.bounds.lo, -0.5);
    EXPECT_EQ(block.bounds.hi, 3.0);
    EXPECT_EQ(stored_text(back), stored_text(options));
  }
  // What differs is seen.
  for (const auto& change : std::vector<std::function<void(Options&)>>{
           [](Options& o) { o.sketch->seed = 1; }, [](Options& o) { o.sketch->dimension = 51; },
           [](Options& o) { o.sketch->column_weight = 8; },
           [](Options& o) { o.sketch->embedding = EmbeddingKind::gaussian; }, [](Options& o) { o.sketch.reset(); }}) {
    Options other = sketched();
    change(other);
    EXPECT_TRUE(first_difference(sketched(), other).starts_with("sketch ("));
  }
}

TEST(StoredRequest, ASketchThatIsNotOneIsDamage) {
  const auto sound = ordered_json::parse(stored_text(sketched()));
  EXPECT_EQ(refusal(sound.dump()), "accepted");
  for (const char* key : {"dimension", "embedding", "column-weight", "seed"}) {
    ordered_json missing = sound;
    missing["sketch"].erase(key);
    EXPECT_NE(refusal(missing.dump()).find(key), std::string::npos);
    for (const ordered_json& wrong : {ordered_json(), ordered_json(-1), ordered_json(0.5), ordered_json("x")}) {
      ordered_json mistyped = sound;
      mistyped["sketch"][key] = wrong;
      EXPECT_NE(refusal(mistyped.dump()), "accepted") << key << wrong;
    }
  }
  ordered_json more = sound;
  more["sketch"]["surprise"] = 1;
  EXPECT_NE(refusal(more.dump()).find("surprise"), std::string::npos);
  for (const ordered_json& wrong : {ordered_json(), ordered_json(7), ordered_json::array()}) {
    for (const char* key : {"sketch", "row-set"}) {
      ordered_json mistyped = sound;
      mistyped[key] = wrong;
      EXPECT_NE(refusal(mistyped.dump()), "accepted") << key << wrong;
    }
  }
  for (const ordered_json& wrong :
       {ordered_json(0), ordered_json(-5), ordered_json(1.5), ordered_json((std::uint64_t{1} << 31) + 1)}) {
    ordered_json columns = sound;
    columns["features"][0]["columns"] = wrong;
    EXPECT_NE(refusal(columns.dump()), "accepted") << wrong;
  }
}

// A request of some hundred bytes never makes anybody take memory for its columns before it is refused.
TEST(StoredRequest, MoreColumnsThanAMatrixHasWithoutASketchAreDamage) {
  auto json = ordered_json::parse(stored_text(sketched()));
  json.erase("sketch");
  for (const std::uint64_t columns : {std::uint64_t{20000}, std::uint64_t{1} << 31}) {
    json["features"][0]["columns"] = columns;
    EXPECT_NE(refusal(json.dump()).find("too many"), std::string::npos) << columns;
  }
  json["features"][0]["columns"] = 19998;  // with z and the intercept, the most there may be
  EXPECT_EQ(refusal(json.dump()), "accepted");
}

TEST(StoredRequest, ReadBackClassesAreClasses) {
  for (const auto& [negative, positive] : {std::pair(0.0, 1.0), std::pair(1.0, 0.0), std::pair(-1.0, 7.5)}) {
    Options options;
    options.budget = {1.0, 1e-6};
    options.loss = "squared";
    options.schema.feature("x", {-1, 1}).classes("y", negative, positive).intercept(false);
    options = fit::with_defaults(options);
    const Options back = read_stored(stored_text(options));
    EXPECT_TRUE(back.schema.has_classes());
    EXPECT_EQ(back.schema.target_scale().half_range, options.schema.target_scale().half_range);
    EXPECT_EQ(back.schema.target_scale().centre, options.schema.target_scale().centre);
    EXPECT_EQ(stored_text(back), stored_text(options));
  }
}

Options erm_request(std::string loss = "logistic") {
  Options options;
  options.budget = {1.0, 1e-6};
  options.schema.feature("x", {-1, 1}).classes("y", "no", "yes, of course");
  options.loss = std::move(loss);
  options.erm = ErmSettings{.ridge = 0.1, .iterations = 7};
  options.release_every = 100;
  return options;
}

TEST(StoredRequest, ReadBackALossAndItsMechanismAreTheSame) {
  Options surrogate = erm_request();
  surrogate.erm.reset();
  surrogate.mechanism = Mechanism::surrogate;
  surrogate.surrogate_margin = 3.5;
  Options perturbed = erm_request();
  perturbed.erm->method = ErmMethod::output_perturbation;
  EXPECT_NE(stored_text(fit::with_defaults(perturbed)).find("\"output-perturbation\""), std::string::npos);
  for (const Options& wanted :
       {erm_request(), erm_request("hinge"), erm_request("smooth-hinge:0.25"), surrogate, perturbed}) {
    const Options options = fit::with_defaults(wanted);
    const std::string text = stored_text(options);
    const Options back = read_stored(text);
    EXPECT_EQ(stored_text(back), text);
    EXPECT_EQ(stored_text(fit::with_defaults(back)), text) << "filling in again changes nothing";
    EXPECT_EQ(back.loss, options.loss);
    EXPECT_EQ(back.schema.class_words(), options.schema.class_words());
    ASSERT_EQ(back.erm.has_value(), options.erm.has_value());
    if (back.erm) {
      EXPECT_EQ(back.erm->method, options.erm->method);
    }
  }
}

TEST(StoredRequest, APrivIncErmThatIsNotOneIsDamage) {
  const std::string text = stored_text(fit::with_defaults(erm_request()));
  const auto altered = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return std::string(text).replace(at, from.size(), to);
  };
  EXPECT_NO_THROW((void)read_stored(text));
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"periodic\"", "\"sometimes\""},
                                                        {"\"gradient-descent\"", "\"by-set\""},
                                                        {"\"tau\":", "\"tau\":-"},
                                                        {"\"ridge\":0.1,", ""},
                                                        {"\"averaged\":true", "\"averaged\":true,\"more\":1"},
                                                        {"[\"no\",", "["},
                                                        {"\"strategy\":null", "\"strategy\":\"blt\""}}) {
    EXPECT_THROW((void)read_stored(altered(from, to)), RequestError) << from;
  }
}

TEST(DecisionsBytes, OfPrivIncErmThatPromiseMoreAreRefused) {
  const Options options = fit::with_defaults(erm_request());
  const auto decided = std::get<erm::ErmDecisions>(fit::StreamPlan(options).decisions());
  const std::string bytes = log::decisions_bytes(decided);
  EXPECT_EQ(std::get<erm::ErmDecisions>(log::parse_decisions(bytes, options, "x")), decided);
  EXPECT_THROW((void)log::parse_decisions(bytes.substr(1), options, "x"), DamagedFile);
  auto more = decided;
  more.mu *= 2.0;
  EXPECT_THROW(fit::StreamPlan(options, more), RequestError);
  more = decided;
  more.most_sums += 1;
  EXPECT_THROW(fit::StreamPlan(options, more), RequestError);
  EXPECT_THROW(fit::StreamPlan(options, privacy::PlanDecisions{}), RequestError);
}

TEST(StoredRequest, NamesThatAreNotUtf8AreARequestError) {
  Options options = plain();
  options.schema.feature("\xc3\x28", {0, 1});
  EXPECT_THROW((void)stored_text(fit::with_defaults(options)), RequestError);
}

TEST(FirstDifference, NamesTheKeyAndBothValues) {
  const Options before = fit::with_defaults(plain());
  const auto difference = [&](const auto& change) {
    Options after = plain();
    change(after);
    return first_difference(before, fit::with_defaults(after));
  };
  EXPECT_EQ(difference([](Options& o) { o.budget.epsilon = 2.0; }), "epsilon (the model has 1.0, the request 2.0)");
  EXPECT_EQ(difference([](Options& o) { o.release_every = 7; }), "release-every (the model has 1, the request 7)");
  EXPECT_EQ(difference([](Options& o) { o.horizon = Horizon::known(9); }),
            "horizon (the model has \"unbounded\", the request 9)");
  EXPECT_EQ(difference([](Options& o) { o.insecure_seed = 6; }), "insecure-seed (the model has 5, the request 6)");
  EXPECT_EQ(difference([](Options& o) { o.constraint = "l1:1"; }),
            "constraint (the model has \"l2:2\", the request \"l1:1\")");
  EXPECT_EQ(difference([](Options& o) {
              o.unit = PrivacyUnit{"p", 3};
            }),
            "unit (the model has null, the request {\"name\":\"p\",\"max-rows\":3})");
  EXPECT_EQ(difference([](Options& o) { o.schema.feature("w", {0, 1}); }).substr(0, 8), "features");
  EXPECT_EQ(difference([](Options& o) { o.strategy = StrategyKind::hybrid; }).substr(0, 8), "strategy");
  // The request may be anything a user types.
  EXPECT_EQ(difference([](Options& o) { o.schema.feature("\xff\xfe", {0, 1}); }).substr(0, 8), "features");
}

TEST(DecisionsBytes, ReadBackTheyAreTheSameBitForBitAndCutShortDamage) {
  for (const Options& wanted : many_requests()) {
    if (wanted.budget.epsilon < 1e-3) continue;
    if (wanted.strategy == StrategyKind::tree && !wanted.horizon.is_known()) continue;
    const Options options = fit::with_defaults(wanted);
    const std::string bytes = log::decisions_bytes(fit::StreamPlan(options).decisions());
    const auto back = log::parse_decisions(bytes, options, "x");
    EXPECT_EQ(log::decisions_bytes(back), bytes);
    EXPECT_NO_THROW(fit::StreamPlan(options, back));
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_THROW((void)log::parse_decisions(bytes.substr(0, length), options, "x"), DamagedFile);
    }
    EXPECT_THROW((void)log::parse_decisions(bytes + '\0', options, "x"), DamagedFile);
  }
}

}  // namespace
}  // namespace rivulet::request
