#include "plot_svg.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet::experiments {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(PlotSvg, LeavesOutWhatALogarithmicAxisCannotShow) {
  const Plot plot{"a < b", "x", "y", {{"line", {{1, 10}, {2, 0}, {3, -1}, {4, NAN}, {5, 20}}}}};
  const std::string picture = svg(plot);
  EXPECT_EQ(count(picture, "<circle"), 2U);
  EXPECT_NE(picture.find("a &lt; b"), std::string::npos);
  EXPECT_EQ(picture, svg(plot));
}

TEST(PlotSvg, ALinearAxisTakesNegativeNumbersAndHasRoundTicks) {
  Plot plot{"", "x", "y", {{"line", {{1, -0.5}, {10, 0.0}, {100, 0.9}}}}, std::pair{-1.0, 1.0}};
  plot.lines[0].band = {{1, -0.6, -0.4}, {10, -0.1, 0.1}, {100, 0.8, 1.0}};
  const std::string picture = svg(plot);
  EXPECT_EQ(count(picture, "<circle"), 3U);
  EXPECT_EQ(count(picture, "fill-opacity"), 1U);
  for (const char* tick : {">-1<", ">-0.5<", ">0<", ">0.5<", ">1<"}) {
    EXPECT_NE(picture.find(tick), std::string::npos) << tick;
  }
}

TEST(PlotSvg, SaysWhichFileCannotBeWritten) {
  try {
    write_text("/no/such/folder/plot.svg", "");
    FAIL() << "written";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/folder/plot.svg"), std::string::npos);
  }
}

}  // namespace
}  // namespace rivulet::experiments
