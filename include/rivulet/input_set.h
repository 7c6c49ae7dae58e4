// Where rows are expected: the paper's input domain X, by its Gaussian width. Declared, never learnt; it decides how
// many dimensions a sketch needs and what a plan predicts. Privacy does not rest on it.
//
//   dense        any row of the unit ball
//   sparse:K     at most K coordinates of a row are not zero (the intercept is one of them)
//   l1:R         the absolute values of a row in box units (schema.h) sum to R or less, the intercept included
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rivulet/schema.h"

namespace rivulet {

class InputSet {
 public:
  enum class Kind { dense, sparse, l1 };

  // Throws RequestError naming `field`, the text and what would be accepted.
  static InputSet parse(std::string_view text, const Schema& schema, std::string_view field = "row-set");
  // What the conditions of a set G (domain.h) imply: the smallest of the sets they name, "dense" when there is none.
  static InputSet implied_by(const std::vector<std::string>& only_if, const Schema& schema);

  [[nodiscard]] Kind kind() const { return kind_; }
  // parse() reads it back.
  [[nodiscard]] std::string name() const;
  // An upper bound on the Gaussian width of the set in unit-ball units (||x|| <= 1), d coordinates:
  //   dense     sqrt(d)
  //   sparse:K  sqrt(2 d (t phi(t) + Q(t))), Q the normal tail with 2 Q(t) = K / d; at most 2% too much from K = 10 on,
  //   6% at K = 1 l1:R      (R / norm limit) times the width of the L1 ball
  // none more than that of `dense`.
  [[nodiscard]] double gaussian_width() const;

 private:
  InputSet(Kind kind, double limit, std::size_t dimension, double norm_limit)
      : kind_(kind), limit_(limit), dimension_(dimension), norm_limit_(norm_limit) {}

  Kind kind_;
  double limit_;
  std::size_t dimension_;
  double norm_limit_;
};

}  // namespace rivulet
