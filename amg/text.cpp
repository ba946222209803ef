#include "amg/text.hpp"

#include <cstdio>

namespace odonata::amg {
namespace {

// Bytes of the character that a text begins with; 0 if they are no UTF-8, or control a terminal.
std::size_t printable(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  const bool surrogate = first == 0xed && at(1) >= 0xa0, c1 = first == 0xc2 && at(1) < 0xa0;
  const bool too_long = (first == 0xe0 && at(1) < 0xa0) || (first == 0xf0 && at(1) < 0x90);
  return surrogate || c1 || too_long || (first == 0xf4 && at(1) > 0x8f) ? 0 : length;
}

}  // namespace

std::string shown(std::string_view text, std::size_t most) {
  std::string made;
  std::size_t i = 0;
  while (i < text.size() && made.size() < most) {
    if (const std::size_t length = printable(text.substr(i)); length > 0) {
      made += text.substr(i, length);
      i += length;
      continue;
    }
    char escape[5];
    std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(text[i++]));
    made += escape;
  }
  if (i < text.size()) made += "... (" + std::to_string(text.size()) + " bytes)";
  return made;
}

}  // namespace odonata::amg
