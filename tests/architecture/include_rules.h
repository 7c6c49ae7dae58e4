// Which folder may include which: the direction of dependencies, as a table.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "architecture/source_text.h"

namespace rivulet::architecture {

// For every folder of src/, the other folders of src/ it may include. All may include the public headers.
const std::map<std::string, std::set<std::string>>& allowed_includes();

// One sentence per include that breaks the table. `files` are those of src/ and include/: a path outside both, a folder
// without a row in the table, a header named relative to its neighbours and an include computed by a macro are
// violations, too.
std::vector<std::string> include_violations(const std::vector<SourceFile>& files);

// One sentence per include that the table allows and no file of src/ makes: a door that stands open for nobody.
std::vector<std::string> unused_edges(const std::vector<SourceFile>& files);

}  // namespace rivulet::architecture
