// Unbiased integers below a range from whole random words (Lemire 2019).
#pragma once

#include <limits>

namespace rivulet::kernel {

// The high and low halves of word * range. `high` is uniform in [0, range) over the words with low >= 2^bits mod range.
template <typename Word>
struct Product {
  Word high;
  Word low;
};

template <typename Word, typename Wide>
constexpr Product<Word> multiply(Word word, Word range) {
  const Wide product = static_cast<Wide>(static_cast<Wide>(word) * range);
  return {static_cast<Word>(product >> std::numeric_limits<Word>::digits), static_cast<Word>(product)};
}

// Uniform in [0, range) given a uniform `word`; `next()` supplies more when it has to be thrown away.
template <typename Word, typename Wide, typename Next>
Word uniform_below(Word range, Word word, Next next) {
  Product<Word> product = multiply<Word, Wide>(word, range);
  if (product.low < range) {
    const auto biased = static_cast<Word>(static_cast<Word>(0 - range) % range);  // 2^bits mod range
    while (product.low < biased) product = multiply<Word, Wide>(next(), range);
  }
  return product.high;
}

}  // namespace rivulet::kernel
