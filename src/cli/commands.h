// One function per command: declares its flags on `app`; the returned callable runs it and gives the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace rivulet::cli {

using Runner = std::function<int()>;

Runner declare_fit(CLI::App& app);
Runner declare_plan(CLI::App& app);
Runner declare_summary(CLI::App& app);
Runner declare_predict(CLI::App& app);
Runner declare_refit(CLI::App& app);
Runner declare_inspect(CLI::App& app);
Runner declare_export(CLI::App& app);
Runner declare_audit(CLI::App& app);
Runner declare_settings(CLI::App& app);

}  // namespace rivulet::cli
