// A byte source that pretends to be stopped between its pieces.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "input/byte_source.h"

namespace rivulet::input::testing {

// Gives one piece a read; a read between two pieces is stopped. A piece must fit into the reader's block.
class HaltingSource final : public ByteSource {
 public:
  explicit HaltingSource(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  std::size_t read(std::span<char> block) override {
    stopped_ = !stopped_ && next_ > 0 && next_ < pieces_.size();
    if (stopped_ || next_ == pieces_.size()) return 0;
    const std::string& piece = pieces_[next_++];
    std::copy(piece.begin(), piece.end(), block.begin());
    return piece.size();
  }
  [[nodiscard]] bool stopped() const override { return stopped_; }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
  bool stopped_ = false;
  std::string name_ = "halting";
};

}  // namespace rivulet::input::testing
