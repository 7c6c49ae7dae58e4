#include "experiment.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>

namespace rivulet::experiments {

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--quick") {
      arguments.quick = true;
      if (arguments.streams == 0) arguments.streams = 1;
      --i;  // it has no value
      continue;
    }
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (value && name == "--out") {
      arguments.out = value;
    } else if (value && name == "--data") {
      arguments.data = value;
    } else if (value && name == "--streams" && std::atoi(value) > 0) {
      arguments.streams = std::atoi(value);
    } else {
      std::fprintf(stderr, "usage: %s [--out FOLDER] [--data FOLDER] [--streams NUMBER] [--quick]\n", argv[0]);
      std::exit(2);
    }
  }
  return arguments;
}

double Sample::mean() const {
  return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(values_.size());
}

double Sample::standard_error() const {
  if (values_.size() < 2) return 0.0;
  const double centre = mean();
  double squares = 0.0;
  for (const double value : values_) squares += (value - centre) * (value - centre);
  const auto n = static_cast<double>(values_.size());
  return std::sqrt(squares / (n - 1.0) / n);
}

double Sample::least() const {
  return *std::min_element(values_.begin(), values_.end());
}

double Sample::largest() const {
  return *std::max_element(values_.begin(), values_.end());
}

double log_log_slope(const std::vector<std::pair<double, double>>& points) {
  double n = 0.0;
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  for (const auto& [at, value] : points) {
    const double u = std::log(at);
    const double v = std::log(value);
    n += 1.0;
    x += u;
    y += v;
    xx += u * u;
    xy += u * v;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

std::string text(const char* format, ...) {
  char buffer[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(buffer, sizeof buffer, format, values);
  va_end(values);
  return buffer;
}

}  // namespace rivulet::experiments
