#include "input/consumed_prefix.h"

#include <algorithm>

namespace rivulet::input {

void ConsumedPrefix::hash(std::string_view next) {
  const std::uint64_t to_end = end_ > hashed_ ? end_ - hashed_ : 0;
  const std::string_view consumed =
      next.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(to_end, next.size())));
  const std::string_view ahead = next.substr(consumed.size());
  if (!consumed.empty()) running_.update(consumed);
  if (!ahead.empty()) {
    if (hashed_ <= end_) at_end_ = running_;
    running_.update(ahead);
  }
  hashed_ += next.size();
}

}  // namespace rivulet::input
