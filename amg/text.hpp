#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace odonata::amg {

// A text of a user or of a file in one line that commands no terminal: control characters and bytes
// that are no UTF-8 stand as \x1b. Longer ones are cut, with their length.
std::string shown(std::string_view text, std::size_t most = 4000);

}  // namespace odonata::amg
