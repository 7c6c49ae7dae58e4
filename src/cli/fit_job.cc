#include "cli/fit_job.h"

#include "request/toml_file.h"
#include "rivulet/error.h"

namespace rivulet::cli {
namespace {

using request::Given;
using request::Settings;

std::optional<std::string> text_in(const Settings& given, const char* key) {
  return given.contains(key) ? std::optional(given[key].get<std::string>()) : std::nullopt;
}

}  // namespace

void declare_fit_flags(CLI::App& app, FitFlags& flags) {
  flags.settings.declare_argument(
      app, "input", "Rows in one of the formats of --format, plain or gzip; '-' or nothing: standard input");
  app.add_option("--config", flags.config, "TOML file with any of these settings; flags win")->type_name("FILE.toml");
  flags.settings.declare(app, [](const request::Setting& setting) { return setting.key != "input"; });
  app.get_option("--format")->description(input::format_help());  // which formats there are is for the readers to say

  const std::string durable(request::title(request::Group::durable));
  app.add_flag("--next-input", flags.next_input, "The input is a new one that follows those already counted")
      ->disable_flag_override()
      ->group(durable);
  app.add_option("--from-row", flags.from_row,
                 "The first N rows of the input were already counted, e.g. by a program: go on at the next one")
      ->type_name("N")
      ->group(durable);
  app.add_option("--seen", flags.seen,
                 "With --releases -: the last release its reader has, step and chain; later ones are sent again, and a "
                 "model that does not know it is refused")
      ->type_name("STEP:CHAIN")
      ->group(durable);
  app.add_flag("-q", flags.quiet, "Short for --quiet")
      ->disable_flag_override()
      ->group(std::string(request::title(request::Group::output)));
}

input::RowFormat FitJob::row_format() const {
  return format ? *format : input::format_by_name(input.value_or("-"));
}

StreamOptions FitJob::request() const {
  const input::RowFormat rows = row_format();
  const std::string title(rows->title);
  if (!rows->has_delimiter && delimiter) throw RequestError("delimiter", title + " rows have none; accepted: with CSV");
  if (rows->needs_dimension && !settings.contains("dimension") && !settings.contains("block")) {
    throw RequestError("dimension", "not given; " + title +
                                        " rows have no header that says how many columns there are; accepted: "
                                        "dimension=D, the largest index there may be");
  }
  return request::read_request(settings);
}

FitJob job_of(const FitFlags& flags) {
  FitJob job;
  const Settings typed = flags.settings.given();
  job.settings = flags.config ? request::merge(request::read_toml_file(*flags.config), typed) : typed;
  if (flags.config && job.settings.contains("insecure-seed") && !typed.contains("insecure-seed")) {
    throw RequestError("insecure-seed", "no file can make a run insecure; accepted: as a flag");
  }
  job.input = text_in(job.settings, "input");
  if (const auto word = text_in(job.settings, "format")) job.format = input::parse_row_format(*word);
  if (job.settings.contains("delimiter")) job.delimiter = Given{job.settings["delimiter"], "delimiter"}.delimiter();
  job.releases = text_in(job.settings, "releases");
  job.model = text_in(job.settings, "model");
  job.whole_steps = job.settings.value("whole-steps", false);
  job.next_input = flags.next_input;
  if (flags.from_row) job.from_row = Given{*flags.from_row, "from-row"}.whole();
  job.seen = flags.seen;
  job.config = flags.config;
  job.quiet = flags.quiet || job.settings.value("quiet", false);
  return job;
}

}  // namespace rivulet::cli
