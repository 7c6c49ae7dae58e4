// What the experiments behind docs/results share: their arguments, means over streams, slopes, and lines of CSV.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace rivulet::experiments {

struct Arguments {
  std::string out = "docs/results";  // the folder for CSV and SVG files
  std::string data = "data";         // the folder of the real streams
  int streams = 0;                   // or seeds; 0: the experiment's own number
  bool quick = false;                // tiny sizes and one stream: shows that everything runs, and nothing else
};

// --out FOLDER, --data FOLDER, --streams N, --quick. Anything else prints a usage line and ends the program.
Arguments read_arguments(int argc, char** argv);

// Numbers of one kind, from stream to stream.
class Sample {
 public:
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] double mean() const;
  [[nodiscard]] double standard_error() const;  // of the mean; 0 for fewer than two
  [[nodiscard]] double least() const;
  [[nodiscard]] double largest() const;

 private:
  std::vector<double> values_;
};

// Least squares of log y on log x: the exponent of a power law.
double log_log_slope(const std::vector<std::pair<double, double>>& points);

// As printf writes it.
__attribute__((format(printf, 1, 2))) std::string text(const char* format, ...);

}  // namespace rivulet::experiments
