#include "kernel/hot_loops.h"

namespace rivulet::kernel {
namespace baseline {
extern const HotLoops loops;
}
namespace v3 {
extern const HotLoops loops;
}

const HotLoops& hot_loops_baseline() {
  return baseline::loops;
}

const HotLoops* hot_loops_v3() {
#ifdef RIVULET_HAS_V3
#ifdef __clang__  // has no name for the whole level; processors with these have the rest of it
  static const bool supported = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                                __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
#else
  static const bool supported = __builtin_cpu_supports("x86-64-v3") != 0;
#endif
  return supported ? &v3::loops : nullptr;
#else
  return nullptr;
#endif
}

const HotLoops& hot_loops() {
  static const HotLoops& chosen = hot_loops_v3() != nullptr ? *hot_loops_v3() : hot_loops_baseline();
  return chosen;
}

}  // namespace rivulet::kernel
