#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace odonata::amg {

using TextRows = std::vector<std::vector<std::string>>;

// A table in Markdown whose columns line up. The first row has the names; alignment has a letter a
// column, l or r.
std::string markdown(const TextRows& rows, std::string_view alignment);

// A number as printf writes it.
std::string formatted(const char* format, double value);

}  // namespace odonata::amg
