// The wall, as a compiler error. Headers that know what a row is include this one; only the kernel and the one file
// that wires it to the outside define the macro.
#pragma once

#ifndef RIVULET_INSIDE_THE_WALL
#error "This header handles raw rows. Code behind the wall must not include it; it works from wall/noisy_step.h."
#endif
