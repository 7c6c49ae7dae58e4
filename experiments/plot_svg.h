// Line charts as SVG, for figures of the documentation that anyone can make again. The horizontal axis is logarithmic,
// the vertical one too unless a range is given.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rivulet::experiments {

struct PlotBand {
  double x = 0.0;
  double low = 0.0;
  double high = 0.0;
};

struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  // positive where the axis is logarithmic
  bool dashed = false;
  std::vector<PlotBand> band{};  // shaded behind the line
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotLine> lines;
  std::optional<std::pair<double, double>> y_range{};  // linear; what is outside is cut off
};

// Complete SVG text, the same for the same plot. Points that are not finite, or not positive where they must be, are
// left out.
std::string svg(const Plot& plot);
// Throws std::runtime_error when the file cannot be written.
void write_text(const std::string& path, const std::string& text);

}  // namespace rivulet::experiments
