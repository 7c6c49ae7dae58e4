// A command line that does not fit the declared flags, explained in one line: what was typed and what is accepted.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace rivulet::cli {

// `app` as the failed parse left it.
std::string explain(const CLI::ParseError& error, const CLI::App& app);

}  // namespace rivulet::cli
