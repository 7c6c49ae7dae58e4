// A width that takes a while to compute: computed on first demand, once for a set and all its multiples.
#pragma once

#include <memory>
#include <mutex>

namespace rivulet::geometry {

// Copies share the value. Safe from several threads; the sets stay immutable to their callers.
class CachedWidth {
 public:
  template <typename Compute>
  [[nodiscard]] double get(const Compute& compute) const {
    std::call_once(state_->once, [&] { state_->value = compute(); });
    return state_->value;
  }

 private:
  struct State {
    std::once_flag once;
    double value = 0.0;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace rivulet::geometry
