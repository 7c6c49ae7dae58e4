// Line charts with logarithmic axes, as SVG: for figures of the documentation that anyone can make again.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rivulet::experiments {

struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  // both coordinates positive
  bool dashed = false;
};

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotLine> lines;
};

// Complete SVG text, the same for the same plot. Points that are not positive and finite are left out.
std::string svg(const Plot& plot);
// Throws std::runtime_error when the file cannot be written.
void write_text(const std::string& path, const std::string& text);

}  // namespace rivulet::experiments
