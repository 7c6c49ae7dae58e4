// `rivulet export`: the public half of a model, as a file that is safe to hand out.
#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/setting_flags.h"
#include "rivulet/error.h"
#include "rivulet/release_log.h"

namespace rivulet::cli {
namespace {

constexpr const char* kDescription =
    "Write the public half of a model to a new file that is safe to hand out.\n"
    "\n"
    "A model file also holds exact sums of rows, with --mechanism erm the rows themselves, so that its\n"
    "stream can go on: it must stay with its owner. The export holds the promise, every release with its\n"
    "private statistics, and the ledger: enough for refit, summary, inspect and predict, and nothing that\n"
    "is not differentially private. Of a model of --mechanism erm there are no statistics, and no refit.";

constexpr const char* kFooter =
    "EXAMPLES\n"
    "    rivulet export survey.rivulet survey-public.rivulet\n"
    "    rivulet refit survey-public.rivulet --constraint l1:0.5";

struct ExportFlags : LogFlags {
  std::string file;
};

}  // namespace

Runner declare_export(CLI::App& app) {
  auto flags = std::make_shared<ExportFlags>();
  app.description(kDescription);
  app.footer(kFooter);
  declare_model(app, *flags);
  app.add_option("FILE", flags->file, "The new file; one that exists is not overwritten")->required()->type_name("");
  return [flags] {
    if (flags->file == "-") throw RequestError("FILE", "an export is a database and goes to a file; accepted: a path");
    const ReleaseLog log(flags->model);
    log.verify();
    log.export_to(flags->file);
    tell(fmt::format("rivulet: {} holds the public half of {}: {} releases\n", flags->file, flags->model,
                     ReleaseLog(flags->file).last_step()));
    return kDone;
  };
}

}  // namespace rivulet::cli
