#define RIVULET_VARIANT baseline
#include "kernel/hot_loops.inc"
