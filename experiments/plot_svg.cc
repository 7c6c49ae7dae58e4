#include "plot_svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace rivulet::experiments {
namespace {

constexpr double kPlotWidth = 450.0;
constexpr double kHeight = 440.0;
constexpr double kLeft = 80.0;
constexpr double kLegend = 190.0;  // at least
constexpr double kTop = 44.0;
constexpr double kBottom = 60.0;
// Told apart by people who do not see all colours (Okabe and Ito).
constexpr const char* kDashed = "#555555";  // what the others are measured against
constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};

std::string text_of(const char* format, double a, double b = 0.0, double c = 0.0, double d = 0.0) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, a, b, c, d);
  return buffer;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

// A logarithmic axis over the data, widened by a tenth of its length at both ends, or a linear one over a given range.
class Axis {
 public:
  Axis(const Plot& plot, bool vertical) : vertical_(vertical), linear_(vertical && plot.y_range.has_value()) {
    if (linear_) {
      low_ = plot.y_range->first;
      high_ = plot.y_range->second;
      return;
    }
    for (const PlotLine& line : plot.lines) {
      for (const auto& point : line.points) extend(vertical ? point.second : point.first);
      for (const PlotBand& band : line.band) {
        if (!vertical) continue;
        extend(band.low);
        extend(band.high);
      }
    }
    if (low_ > high_) low_ = 0.0, high_ = 1.0;
    const double margin = std::max(0.05, 0.06 * (high_ - low_));
    low_ -= margin;
    high_ += margin;
  }
  [[nodiscard]] bool takes(double value) const { return std::isfinite(value) && (linear_ || value > 0.0); }
  [[nodiscard]] double place(double value) const {
    const double share = ((linear_ ? value : std::log10(value)) - low_) / (high_ - low_);
    return vertical_ ? kHeight - kBottom - share * (kHeight - kTop - kBottom) : kLeft + share * kPlotWidth;
  }
  // Powers of ten, with halves and fifths of them where there are few; or round numbers.
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> result;
    if (linear_) {
      const double unit = std::pow(10.0, std::floor(std::log10((high_ - low_) / 4.0)));
      double step = unit;
      for (const double factor : {2.0, 5.0}) {
        if ((high_ - low_) / (factor * unit) >= 4.0) step = factor * unit;
      }
      const auto last = static_cast<int>(std::floor(high_ / step + 1e-9));
      for (int i = static_cast<int>(std::ceil(low_ / step - 1e-9)); i <= last; ++i) result.push_back(i * step);
      return result;
    }
    const bool fine = high_ - low_ < 2.5;
    for (int power = static_cast<int>(std::floor(low_)); power <= static_cast<int>(std::ceil(high_)); ++power) {
      for (const double step : {1.0, 2.0, 5.0}) {
        if (step != 1.0 && !fine) continue;
        const double value = step * std::pow(10.0, power);
        if (std::log10(value) >= low_ && std::log10(value) <= high_) result.push_back(value);
      }
    }
    return result;
  }

 private:
  void extend(double value) {
    if (!takes(value)) return;
    low_ = std::min(low_, std::log10(value));
    high_ = std::max(high_, std::log10(value));
  }

  bool vertical_;
  bool linear_;
  double low_ = 1e300;
  double high_ = -1e300;
};

std::string frame(const Plot& plot, const Axis& x, const Axis& y) {
  std::string out = "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  const double bottom = kHeight - kBottom;
  const double right = kLeft + kPlotWidth;
  for (const double tick : x.ticks()) {
    out += text_of("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>", x.place(tick), kTop,
                   x.place(tick), bottom);
    out +=
        text_of("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", x.place(tick), bottom + 18.0, tick);
  }
  for (const double tick : y.ticks()) {
    out += text_of("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>", kLeft, y.place(tick),
                   right, y.place(tick));
    out +=
        text_of("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", kLeft - 8.0, y.place(tick) + 4.0, tick);
  }
  out += text_of("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" stroke=\"#444444\"/>\n",
                 kLeft, kTop, right - kLeft, bottom - kTop);
  out += text_of("<text x=\"%.1f\" y=\"%.1f\" font-size=\"15\">", kLeft, 24.0) + escaped(plot.title) + "</text>\n";
  out += text_of("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", 0.5 * (kLeft + right), kHeight - 16.0) +
         escaped(plot.x_label) + "</text>\n";
  out += text_of("<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">", 20.0,
                 0.5 * (kTop + bottom)) +
         escaped(plot.y_label) + "</text>\n";
  return out;
}

// Shaded from the low ends forth to the high ends back.
std::string shade(const PlotLine& line, const char* colour, const Axis& x, const Axis& y) {
  std::string forth;
  std::string back;
  for (const PlotBand& band : line.band) {
    if (!x.takes(band.x) || !y.takes(band.low) || !y.takes(band.high)) continue;
    forth += text_of(forth.empty() ? "M%.1f %.1f" : " L%.1f %.1f", x.place(band.x), y.place(band.low));
    back.insert(0, text_of(" L%.1f %.1f", x.place(band.x), y.place(band.high)));
  }
  if (forth.empty()) return "";
  return "<path d=\"" + forth + back + " Z\" fill=\"" + colour +
         "\" fill-opacity=\"0.15\" clip-path=\"url(#inside)\"/>\n";
}

std::string curve(const PlotLine& line, const char* colour, const Axis& x, const Axis& y, double legend) {
  std::string path;
  std::string marks;
  for (const auto& point : line.points) {
    if (!x.takes(point.first) || !y.takes(point.second)) continue;
    path += text_of(path.empty() ? "M%.1f %.1f" : " L%.1f %.1f", x.place(point.first), y.place(point.second));
    if (!line.dashed) {
      marks += text_of("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" ", x.place(point.first), y.place(point.second)) +
               "fill=\"" + colour + "\" clip-path=\"url(#inside)\"/>";
    }
  }
  const std::string style = std::string("fill=\"none\" stroke=\"") + colour + "\" stroke-width=\"2\"" +
                            (line.dashed ? " stroke-dasharray=\"5 4\"" : "");
  const double right = kLeft + kPlotWidth;
  return "<path d=\"" + path + "\" " + style + " clip-path=\"url(#inside)\"/>" + marks + "\n" +
         text_of("<path d=\"M%.1f %.1f L%.1f %.1f\" ", right + 12.0, legend, right + 36.0, legend) + style + "/>" +
         text_of("<text x=\"%.1f\" y=\"%.1f\">", right + 42.0, legend + 4.0) + escaped(line.name) + "</text>\n";
}

}  // namespace

std::string svg(const Plot& plot) {
  const Axis x(plot, false);
  const Axis y(plot, true);
  double legend_width = kLegend;
  for (const PlotLine& line : plot.lines)
    legend_width = std::max(legend_width, 56.0 + 7.0 * static_cast<double>(line.name.size()));
  std::string out = text_of("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" ",
                            kLeft + kPlotWidth + legend_width, kHeight) +
                    "font-family=\"sans-serif\" font-size=\"12\">\n";
  out += "<clipPath id=\"inside\">" +
         text_of("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", kLeft, kTop, kPlotWidth,
                 kHeight - kTop - kBottom) +
         "</clipPath>\n";
  out += frame(plot, x, y);
  std::size_t number = 0;
  for (const PlotLine& line : plot.lines) out += shade(line, kColours[number++ % std::size(kColours)], x, y);
  double legend = kTop + 10.0;
  number = 0;
  for (const PlotLine& line : plot.lines) {
    const char* colour = kColours[number++ % std::size(kColours)];
    out += curve(line, line.dashed ? kDashed : colour, x, y, legend);
    legend += 20.0;
  }
  return out + "</svg>\n";
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("'" + path + "' cannot be written");
}

}  // namespace rivulet::experiments
