#include "cli/log_flags.h"

#include "base/shown.h"
#include "request/values.h"
#include "rivulet/error.h"

namespace rivulet::cli {

void declare_model(CLI::App& app, LogFlags& flags) {
  app.add_option("MODEL", flags.model, "A model file (rivulet fit --model) or an export of one")
      ->required()
      ->type_name("");
}

void declare_at(CLI::App& app, LogFlags& flags) {
  app.add_option("--at", flags.at, "As of this release; the last one unless given")->type_name("STEP");
}

void declare_level(CLI::App& app, LogFlags& flags) {
  app.add_option("--level", flags.level, "Confidence of the intervals; 0.95 unless given")->type_name("P");
}

std::uint64_t chosen_step(const LogFlags& flags, const ReleaseLog& log) {
  const std::uint64_t last = log.last_step();
  if (last == 0)
    throw RequestError("model", "'" + flags.model + "' has no release yet; the first is out after the first step");
  if (!flags.at) return last;
  const std::uint64_t step = request::Given{*flags.at, "at"}.positive_whole();
  if (step > last) {
    throw RequestError("at", *flags.at + " is not out yet; accepted: 1 to " + std::to_string(last));
  }
  return step;
}

double chosen_level(const LogFlags& flags) {
  const double level = request::Given{flags.level, "level"}.positive();
  if (level >= 1.0) {
    throw RequestError("level",
                       shown(flags.level) + " is not accepted; accepted: a probability above 0 and below 1, e.g. 0.95");
  }
  return level;
}

}  // namespace rivulet::cli
