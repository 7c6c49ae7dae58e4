// Vertices from a file and from the text itself.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "rivulet/constraint.h"
#include "rivulet/error.h"

namespace rivulet {
namespace {

class PolytopeFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("rivulet_polytope_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".csv");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void write(const std::string& content) const { std::ofstream(path_, std::ios::binary) << content; }
  [[nodiscard]] std::string text() const { return "polytope:" + path_.string(); }
  // Reads it as the constraint of a two-dimensional model and tells the set's name, or what is wrong: between the
  // quoted text and "; accepted".
  [[nodiscard]] std::string read(const std::string& content) const {
    write(content);
    return outcome(text());
  }
  [[nodiscard]] static std::string outcome(const std::string& text) {
    try {
      return parse_constraint(text, 2, "--constraint")->name();
    } catch (const RequestError& error) {
      EXPECT_EQ(error.field(), "--constraint");
      const std::string message = error.what();
      const std::string quoted = "'" + (text.size() > 60 ? text.substr(0, 60) + "..." : text) + "' ";
      const std::string begin = "--constraint: " + quoted;
      const std::string end =
          "; accepted: polytope:FILE or polytope:[[1,0],[0,1],[-1,-1]], 2 vertices or more around the origin, 2 finite "
          "numbers each (in the file: one vertex a line, numbers separated by commas or blanks), a million numbers in "
          "all "
          "at most";
      EXPECT_TRUE(message.starts_with(begin)) << message;
      EXPECT_TRUE(message.ends_with(end)) << message;
      return message.substr(begin.size(), message.size() - begin.size() - end.size());
    }
  }

  std::filesystem::path path_;
};

TEST_F(PolytopeFile, OneVertexALineWithCommasOrBlanksAndComments) {
  const std::string triangle = "polytope:[[1,0],[0,1],[-1,-1]]";
  EXPECT_EQ(read("1,0\n0,1\n-1,-1\n"), triangle);
  EXPECT_EQ(read("1 0\n0 1\n-1 -1"), triangle);
  EXPECT_EQ(read("# corners\r\n1\t, 0  # east\r\n\r\n  0 , 1\r\n-1,-1e0\r\n   # end"), triangle);
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "1,0\n0,1\n-1,-1\n1.0,0.0\n"),
            triangle);  // a byte order mark, a vertex twice
}

TEST_F(PolytopeFile, TheNameNeedsNoFile) {
  write("0.1,0\n0,1e-7\n-3,-4\n");
  const auto set = parse_constraint(text(), 2);
  std::filesystem::remove(path_);
  const auto again = parse_constraint(set->name(), 2);
  EXPECT_EQ(again->name(), "polytope:[[0.1,0],[0,1e-07],[-3,-4]]");
  EXPECT_EQ(again->diameter(), 5.0);
  EXPECT_EQ(set->scaled(0.5)->name(), "polytope:[[0.05,0],[0,5e-08],[-1.5,-2]]");
}

TEST_F(PolytopeFile, FaultsAreNamedByLineAndField) {
  EXPECT_EQ(read("1,0\n0,x\n"), "line 2: field 2 is \"x\", which is not a number");
  EXPECT_EQ(read("1,0\n0,1.5kg\n"), "line 2: field 2 is \"1.5kg\", which is not a number");
  EXPECT_EQ(read("# a\n\n1,inf\n"), "line 3: field 2 is \"inf\", which is not finite");
  EXPECT_EQ(read("nan 1\n"), "line 1: field 1 is \"nan\", which is not finite");
  EXPECT_EQ(read("1,1e999\n"), "line 1: field 2 is \"1e999\", beyond the range of a double");
  EXPECT_EQ(read("1,,2\n"), "line 1: field 2 is empty");
  EXPECT_EQ(read("1,\n"), "line 1: field 2 is empty");
  EXPECT_EQ(read(",1\n"), "line 1: field 1 is empty");
  EXPECT_EQ(read("1;0\n"), "line 1: field 1 is \"1;0\", which is not a number");
  EXPECT_EQ(read("1,0\n1,2,3\n"), "line 2 has 3 numbers where the dimension is 2");
  EXPECT_EQ(read("1,0\n7\n"), "line 2 has 1 number where the dimension is 2");
  EXPECT_EQ(read("1,0\n\x01\x02,0\n"), "line 2: field 1 is \"??\", which is not a number");
}

TEST_F(PolytopeFile, SetsThatCannotBeUsedAreRefused) {
  EXPECT_EQ(read(""), "has 0 vertices, where 2 are the least");
  EXPECT_EQ(read("# nothing\n"), "has 0 vertices, where 2 are the least");
  EXPECT_EQ(read("0,0\n"), "has 1 vertex, where 2 are the least");
  EXPECT_EQ(read("0,0\n0,-0\n"), "is the origin alone");
  EXPECT_EQ(read("3,4\n6,8\n"), "does not hold the origin, which is 5 away from it");
  std::string long_list;
  for (int k = 0; k < 500'001; ++k) long_list += "1,1\n";
  EXPECT_EQ(read(long_list), "has more than 1000000 numbers");
}

TEST_F(PolytopeFile, FilesThatCannotBeReadAreNamedWithTheReason) {
  EXPECT_EQ(outcome("polytope:/no/such/file"), "names a file that cannot be opened (No such file or directory)");
  EXPECT_EQ(outcome("polytope:/"), "names a file that cannot be read (Is a directory)");
  EXPECT_EQ(outcome("polytope:/dev/zero"), "names a file of more than 64 MB");
  EXPECT_EQ(outcome("polytope:"), "has no vertices");
  EXPECT_EQ(outcome("polytope"), "has no vertices");
}

TEST_F(PolytopeFile, VerticesInPlaceAreReadStrictly) {
  EXPECT_EQ(outcome("polytope:[[1,0],[0,1],[-1,-1]]"), "polytope:[[1,0],[0,1],[-1,-1]]");
  EXPECT_EQ(outcome("polytope:[ [ 1 , 0 ] ,[-1,0] ] "), "polytope:[[1,0],[-1,0]]");
  EXPECT_EQ(outcome("polytope:[1,0]"), "vertex 1: \"1\" stands where '[' should");
  EXPECT_EQ(outcome("polytope:["), "vertex 1: the end stands where '[' should");
  EXPECT_EQ(outcome("polytope:[[]]"), "vertex 1: number 1 is empty");
  EXPECT_EQ(outcome("polytope:[[1,0],[0,a]]"), "vertex 2: number 2 is \"a\", which is not a number");
  EXPECT_EQ(outcome("polytope:[[1,0],[0,1e999]]"), "vertex 2: number 2 is \"1e999\", beyond the range of a double");
  EXPECT_EQ(outcome("polytope:[[1,0],[0,-inf]]"), "vertex 2: number 2 is \"-inf\", which is not finite");
  EXPECT_EQ(outcome("polytope:[[1,0],[0]]"), "vertex 2 has 1 number where the dimension is 2");
  EXPECT_EQ(outcome("polytope:[[1,0],[0,1,2]]"), "vertex 2 has 3 numbers where the dimension is 2");
  EXPECT_EQ(outcome("polytope:[[1,0],[0,1]"), "after vertex 2: the end stands where ']' should");
  EXPECT_EQ(outcome("polytope:[[1,0],]"), "vertex 2: \"]\" stands where '[' should");
  EXPECT_EQ(outcome("polytope:[[1,0],[-1,0]]x"), "has \"x\" after its vertices");
  EXPECT_EQ(outcome("polytope:[[1 0],[-1,0]]"), "vertex 1: \"0\" stands where ']' should");
  EXPECT_EQ(outcome("polytope:[[1,1],[2,1]]"), "does not hold the origin, which is 1.4142135623730951 away from it");
}

}  // namespace
}  // namespace rivulet
