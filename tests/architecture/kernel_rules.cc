#include "architecture/kernel_rules.h"

#include <filesystem>
#include <map>
#include <regex>
#include <set>

namespace rivulet::architecture {
namespace {

enum class FloatingPoint {
  none,
  raw_rows,     // passes a row's values on as they came: types, but no arithmetic
  noise_width,  // standard deviations, which are public
  free,
};

// By file name without extension. A file not named here has no floating point at all.
FloatingPoint floating_point_in(const std::string& stem) {
  static const std::map<std::string, FloatingPoint> table = {
      {"row_lattice", FloatingPoint::free},          // bounds a row before it is truncated to integers
      {"hot_loops", FloatingPoint::free},            // the same, and integer-valued doubles
      {"hot_loops_baseline", FloatingPoint::free},   // hot_loops for any processor
      {"hot_loops_v3", FloatingPoint::free},         // hot_loops for AVX2
      {"moment_sum", FloatingPoint::free},           // integer-valued doubles
      {"discrete_gaussian", FloatingPoint::free},    // a filter in front of the exact test
      {"noise_source", FloatingPoint::noise_width},  // picks the sampler
      {"encoder", FloatingPoint::noise_width},       // asks for it
      {"history_kernel", FloatingPoint::free},       // derivatives of a loss before they are truncated to integers
      {"kept_rows", FloatingPoint::free},  // on their way there: predictions and derivatives, and a minimiser,
                                           // whose rounding is bounded and paid for
      {"unit_cap", FloatingPoint::none},
      {"kernel", FloatingPoint::raw_rows},     // hands rows to row_lattice
      {"row_batch", FloatingPoint::raw_rows},  // the same
  };
  const auto found = table.find(stem);
  return found == table.end() ? FloatingPoint::none : found->second;
}

// Headers of the kernel that know nothing of rows.
const std::set<std::string>& unguarded_headers() {
  static const std::set<std::string> names = {"inside", "discrete_gaussian", "noise_source", "random_bits"};
  return names;
}

const std::regex& floating_type() {
  static const std::regex pattern(R"(\b(double|float|double_t|float_t|VectorXd|MatrixXd|VectorXf|MatrixXf)\b)");
  return pattern;
}

const std::regex& floating_arithmetic() {
  static const std::regex pattern(
      R"((\b[0-9]+\.[0-9]*|\B\.[0-9]+|\b[0-9]+e[-+]?[0-9]+|\b0x[0-9a-f.]+p[-+]?[0-9]+|\b(sqrt|exp|log|pow|ldexp|erfc?|fma|fabs)\s*\())",
      std::regex::icase);
  return pattern;
}

const std::regex& output() {
  static const std::regex pattern(
      R"(\b(v?[fsd]?n?printf|v?snprintf|f?puts|f?putc|putchar|fwrite|pwrite|writev|perror|v?syslog|FILE|stdout|stderr|fopen|popen)"
      R"(|w?cout|w?cerr|w?clog|o?fstream|[io]?stringstream|o?syncstream|println?|fmt|spdlog|mpfr_\w*printf|mpfr_out_str|mpfr_dump|setenv)\b)"
      R"(|\bstd::format|(^|[^\w>])::\s*(write|send|open)\s*\()");
  return pattern;
}

const std::regex& output_header() {
  static const std::regex pattern(
      R"(^\s*#\s*include\s*["<]((i|o|io|f|s|sync)stream|iosfwd|cstdio|stdio\.h|print|format|filesystem|syslog\.h|unistd\.h|fcntl\.h)"
      R"(|(fmt|spdlog|sys/socket)[^">]*)[">])");
  return pattern;
}

std::string floating_point_objection(FloatingPoint allowed, const std::string& line) {
  static const std::regex width("sigma|widening|sampler");
  const bool type = std::regex_search(line, floating_type());
  const bool arithmetic = std::regex_search(line, floating_arithmetic());
  switch (allowed) {
    case FloatingPoint::free:
      return "";
    case FloatingPoint::none:
      return type || arithmetic ? "floating point where there must be none" : "";
    case FloatingPoint::raw_rows:
      return arithmetic ? "arithmetic on a row's values outside the files that bound it" : "";
    case FloatingPoint::noise_width:
      return type && !std::regex_search(line, width) ? "floating point that is not the width of the noise" : "";
  }
  return "";
}

}  // namespace

std::vector<std::string> kernel_violations(const std::vector<SourceFile>& files) {
  static const std::regex guard("(^|\\n)#include \"kernel/inside\\.h\"");
  std::vector<std::string> violations;
  for (const SourceFile& file : files) {
    const std::filesystem::path path(file.path);
    const std::string extension = path.extension().string();
    if (extension != ".h" && extension != ".cc" && extension != ".inc") continue;
    const bool in_kernel = file.path.starts_with("src/kernel/");
    const auto add = [&](const std::string& line, const std::string& why) {
      violations.push_back(file.path + ": " + why + ": " + line);
    };
    if (in_kernel && extension == ".h" && !unguarded_headers().contains(path.stem().string()) &&
        !std::regex_search(file.text, guard)) {
      add("", "a kernel header without kernel/inside.h");
    }
    const FloatingPoint allowed = in_kernel ? floating_point_in(path.stem().string()) : FloatingPoint::none;
    for (const std::string& line : lines_of(code_only(file.text))) {
      const std::string why = floating_point_objection(allowed, line);
      if (!why.empty()) add(line, why);
      if (std::regex_search(line, output())) add(line, "rows are in reach here: nothing may be printed or written");
    }
    for (const std::string& line : lines_of(without_comments(file.text))) {
      if (std::regex_search(line, output_header())) add(line, "rows are in reach here: no header for output");
    }
  }
  return violations;
}

}  // namespace rivulet::architecture
