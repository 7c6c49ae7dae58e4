// `rivulet refit`: other models from releases that are already public. No rows, no budget.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "base/number_text.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/release_writer.h"
#include "cli/report.h"
#include "cli/setting_flags.h"
#include "request/settings.h"
#include "rivulet/error.h"
#include "rivulet/refit.h"
#include "rivulet/release_log.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Fit other models to releases that are already public, for free.\n"
    "\n"
    "Every release keeps the private statistics it was made from, so another constraint, solver,\n"
    "regularisation or choice of features needs no rows and no privacy budget, at any past release.\n"
    "Works on a model file and on an export of it. With no flags the result is the published model\n"
    "itself, bit for bit. A model of --mechanism erm has published no statistics and cannot be refitted.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "    rivulet refit survey.rivulet --constraint l1:0.5\n"
    "    rivulet refit survey.rivulet --features age,income --regularise none --at 100\n"
    "    rivulet refit public.rivulet --all --constraint l2:1 > refitted.jsonl";

struct RefitFlags : LogFlags {
  std::optional<std::string> constraint;
  std::optional<std::string> solver;
  std::vector<std::string> features;
  std::optional<std::string> regularise;
  bool all = false;
  bool json = false;
};

Solver parse_solver(const std::string& word) {
  if (word == "fast") return Solver::fast;
  if (word == "noisy-proj-grad") return Solver::noisy_proj_grad;
  throw RequestError("solver", shown(word) + " is not accepted; accepted: fast, noisy-proj-grad");
}

Refit::Options settings(const RefitFlags& flags, const StreamOptions& stream) {
  Refit::Options options = Refit::settings_of(stream);
  if (flags.constraint) options.constraint = *flags.constraint;
  if (flags.solver) options.solver = parse_solver(*flags.solver);
  if (flags.regularise) options.regularisation = *flags.regularise;
  for (const std::string& list : flags.features) {
    if (!options.features) options.features.emplace();
    for (std::string& name : request::Given{list, "features"}.names()) options.features->push_back(std::move(name));
  }
  return options;
}

// As the flag is spelled.
Refit made_with(const ReleaseLog& log, const Refit::Options& options) {
  try {
    return {log.options(), options, log.plan()};
  } catch (const RequestError& error) {
    const std::string field = "regularisation";
    if (error.field() != field) throw;
    throw RequestError("regularise", std::string(error.what()).substr(field.size() + 2));
  }
}

// Where the search for the model of a step begins: with a sketch at the model published before it, as it did then.
std::vector<double> start_of(const ReleaseLog& log, std::uint64_t step) {
  return log.options().sketch && step > 1 ? log.at(step - 1).model.theta : std::vector<double>();
}

// False when the reader has gone.
bool print_lines(const ReleaseLog& log, Refit& refit, std::uint64_t from, std::uint64_t to) {
  ReleaseLine line(release_form(log.options(), log.plan()));
  std::vector<double> start = start_of(log, from);
  constexpr std::size_t kMostBuffered = 1 << 16;
  std::string buffer;
  bool open = true;
  log.for_each(from, to, [&](const Release& release) {
    if (!open || stop_flag().load(std::memory_order_relaxed)) return;
    line.append(refit.fit(release.statistics, start), {}, buffer);
    if (log.options().sketch) start = release.model.theta;
    if (buffer.size() < kMostBuffered) return;
    open = print(buffer);
    buffer.clear();
  });
  return open && print(buffer);
}

int refit(const RefitFlags& flags) {
  if (flags.all && flags.at) throw RequestError("all", "contradicts --at; accepted: one of them");
  const double level = chosen_level(flags);
  const ReleaseLog log(flags.model);
  if (log.options().erm) {
    throw RequestError("model", "'" + flags.model + "' is of --mechanism " +
                                    std::string(request::to_string(*log.options().mechanism)) +
                                    ", which publishes models and no statistics to fit others to; accepted: a model of "
                                    "--mechanism full, sketch or surrogate");
  }
  const Refit::Options options = settings(flags, log.options());
  Refit refit = made_with(log, options);
  const std::uint64_t step = chosen_step(flags, log);
  if (flags.all || flags.json) {
    print_lines(log, refit, flags.all ? 1 : step, step);
    return stop_flag().load() ? kInterrupted : kDone;
  }
  const Release release = log.at(step);
  const Model model = refit.fit(release.statistics, start_of(log, step));
  const ModelQuality quality = model_quality(log.options(), options, release.statistics, model, level);
  print(model_table(model, refit.select(release.statistics), refit.schema(), quality,
                    table_options(log.options(), level)) +
        "\n" + promise_or_warning(log.options(), log.last_step()) + "\n");
  return kDone;
}

}  // namespace

Runner declare_refit(CLI::App& app) {
  auto flags = std::make_shared<RefitFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  declare_model(app, *flags);
  app.add_option("--constraint", flags->constraint,
                 "Set the coefficients are fitted over, feature and target each scaled to [-1, 1]: l2:R, l1:R, "
                 "lp:P:R, simplex, group:K:R, box:LO:HI, elastic:A:R or polytope:FILE")
      ->type_name("KIND:R");
  app.add_option("--features", flags->features, "Only these of the model's features, separated by commas")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("A,B,...");
  app.add_option("--regularise", flags->regularise,
                 "'auto' (by the known noise), 'none', or 'ridge:L' (L added to the diagonal, as L rows of norm 1)")
      ->type_name("RULE");
  app.add_option("--solver", flags->solver, "'fast', or 'noisy-proj-grad' (the paper's; needs a known horizon)")
      ->type_name("WORD");
  declare_at(app, *flags);
  app.add_flag("--all", flags->all, "Every release, as JSON lines")->disable_flag_override();
  app.add_flag("--json", flags->json, "A JSON line instead of a table")->disable_flag_override();
  declare_level(app, *flags);
  return [flags] { return refit(*flags); };
}

}  // namespace rivulet::cli
