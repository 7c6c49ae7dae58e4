// Compiled with -march=x86-64-v3; see CMakeLists.txt.
#define RIVULET_VARIANT v3
#undef Eigen
#define Eigen EigenForX8664V3
#include "kernel/hot_loops.inc"
