#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace odonata::amg {

struct Entry {
  std::int64_t row = 0, column = 0;  // from 0
  double value = 0;
};

// Reads a sparse matrix of the Matrix Market, entry by entry: coordinate; real, integer or pattern
// (1 each); general, symmetric or skew-symmetric. The header's claims are checked, and nothing is
// allocated for them. Throws UsageError with file and line.
class MatrixMarketReader {
 public:
  // Reads up to the sizes. The matrix is square, and has no more rows than `most_rows`.
  MatrixMarketReader(const std::string& path, std::int64_t most_rows);

  std::int64_t rows() const { return rows_; }

  // The next entry as the file has it; false after the last.
  bool next(Entry& entry);
  // True if an entry stands for its mirror image too, which `entry` then becomes.
  bool mirror(Entry& entry) const;

 private:
  enum class Symmetry { general, symmetric, skew_symmetric };

  bool next_line(std::string_view& line);  // neither empty nor a comment
  bool read_line();
  void parse_banner(std::string_view line);
  void parse_sizes(std::string_view line, std::int64_t most_rows);
  std::int64_t take_index(std::string_view& rest, const char* what, std::int64_t least,
                          std::int64_t most);
  double take_value(std::string_view& rest);
  void expect_end(std::string_view rest);
  [[noreturn]] void refuse(const std::string& what) const;

  std::string path_, line_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::int64_t line_number_ = 0, sizes_line_ = 0;
  std::int64_t rows_ = 0, entries_ = 0, read_ = 0;
  bool pattern_ = false;
  Symmetry symmetry_ = Symmetry::general;
};

}  // namespace odonata::amg
