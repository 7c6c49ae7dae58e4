// Erases what random bits leave behind, on every way out of a scope.
#pragma once

#include <string.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernel/inside.h"

namespace rivulet::kernel {

// Erases a stretch of memory at the end of its scope.
class ErasedAtEnd {
 public:
  template <typename T, std::size_t kExtent>
  explicit ErasedAtEnd(std::span<T, kExtent> values) : bytes_(std::as_writable_bytes(values)) {}
  ErasedAtEnd(const ErasedAtEnd&) = delete;
  ErasedAtEnd& operator=(const ErasedAtEnd&) = delete;
  ~ErasedAtEnd() {
    if (!bytes_.empty()) explicit_bzero(bytes_.data(), bytes_.size());
  }

 private:
  std::span<std::byte> bytes_;
};

// Erases what it gives back: a vector's old block when the vector grows, and the last one.
template <typename T>
struct ErasingAllocator {
  using value_type = T;
  ErasingAllocator() = default;
  template <typename Other>
  explicit ErasingAllocator(const ErasingAllocator<Other>&) {}
  T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* values, std::size_t count) {
    explicit_bzero(values, count * sizeof(T));
    std::allocator<T>().deallocate(values, count);
  }
  bool operator==(const ErasingAllocator&) const { return true; }
};

template <typename T>
using ErasedVector = std::vector<T, ErasingAllocator<T>>;

// Overwrites the stack below its caller, where functions that have returned left their variables, and the dynamic
// linker the registers of the first call of a function.
template <std::size_t kBytes>
[[gnu::noinline]] void erase_stack_below() {
  std::array<std::byte, kBytes> stack;
  explicit_bzero(stack.data(), stack.size());
}

// The same at the end of a scope.
template <std::size_t kBytes>
struct StackErasedAtEnd {
  StackErasedAtEnd() = default;
  StackErasedAtEnd(const StackErasedAtEnd&) = delete;
  StackErasedAtEnd& operator=(const StackErasedAtEnd&) = delete;
  ~StackErasedAtEnd() { erase_stack_below<kBytes>(); }
};

}  // namespace rivulet::kernel
