#pragma once

#include <string>

namespace odonata::amg {

// The machine file that --machine means: a file, or the name of a file that is installed beside the
// program. Throws UsageError, with the near miss, where there is neither.
std::string machine_file(const std::string& file_or_name);

}  // namespace odonata::amg
