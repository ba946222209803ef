#include "amg/markdown.hpp"

#include <algorithm>
#include <cstdio>

namespace odonata::amg {
namespace {

std::string line_of(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                    std::string_view alignment) {
  std::string line = "|";
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::string fill(widths[k] - row[k].size(), ' ');
    line += ' ' + (alignment[k] == 'l' ? row[k] + fill : fill + row[k]) + " |";
  }
  return line + '\n';
}

}  // namespace

std::string markdown(const TextRows& rows, std::string_view alignment) {
  std::vector<std::size_t> widths(alignment.size(), 2);
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  std::string rule = "|";
  for (std::size_t k = 0; k < widths.size(); ++k) {
    const std::string dashes(widths[k] + 1, '-');
    rule += (alignment[k] == 'l' ? ':' + dashes : dashes + ':') + '|';
  }
  std::string text = line_of(rows[0], widths, alignment) + rule + '\n';
  for (std::size_t i = 1; i < rows.size(); ++i) text += line_of(rows[i], widths, alignment);
  return text;
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace odonata::amg
