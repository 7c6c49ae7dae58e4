// What a file of src/kernel or src/wall may say: where floating point is allowed, that nothing is printed or written,
// and that headers which know what a row is carry the guard.
#pragma once

#include <string>
#include <vector>

#include "architecture/source_text.h"

namespace rivulet::architecture {

// One sentence per line that breaks a rule; `files` are those of src/kernel and src/wall.
std::vector<std::string> kernel_violations(const std::vector<SourceFile>& files);

}  // namespace rivulet::architecture
