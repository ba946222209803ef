#include "matrix_market.hpp"

#include "values.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace odonata::amg {
namespace {

constexpr std::size_t most_characters = 1024;  // of a line, by the format
constexpr std::string_view blank = " \t\r";
constexpr int patience = 1000;  // how long a pipe may be without a writer [ms]

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(blank);
  if (start == text.npos) return {};
  return text.substr(start, text.find_last_not_of(blank) - start + 1);
}

std::string_view take_word(std::string_view& rest) {
  rest = trimmed(rest);
  const std::size_t end = std::min(rest.find_first_of(blank), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& letter : text) letter = char(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

// Opens a file to be read. A pipe is waited for only if it has a writer.
std::FILE* open(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown)) throw UsageError("--problem: no such file: " + path);
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat what{};
  if (file < 0 || fstat(file, &what) != 0 || S_ISDIR(what.st_mode)) {
    close(file);
    throw UsageError("--problem: can't be read: " + path);
  }
  pollfd waiting{.fd = file, .events = POLLIN, .revents = 0};
  char none = 0;
  if (S_ISFIFO(what.st_mode) && poll(&waiting, 1, patience) == 0 && read(file, &none, 1) == 0) {
    close(file);
    throw UsageError("--problem: no process writes to this pipe: " + path);
  }
  fcntl(file, F_SETFL, O_RDONLY);
  return fdopen(file, "r");
}

}  // namespace

MatrixMarketReader::MatrixMarketReader(const std::string& path, std::int64_t most_rows)
    : path_(path), file_(open(path), &std::fclose) {
  if (!read_line()) refuse("empty");
  parse_banner(line_);
  std::string_view line;
  if (!next_line(line)) refuse("ends before the sizes");
  parse_sizes(line, most_rows);
}

bool MatrixMarketReader::next(Entry& entry) {
  std::string_view rest;
  const bool more = next_line(rest);
  if (!more && read_ < entries_)
    refuse("ends after " + std::to_string(read_) + " of the " + std::to_string(entries_) +
           " entries that line " + std::to_string(sizes_line_) + " promises");
  if (!more) return false;
  if (read_ == entries_)
    refuse("more than the " + std::to_string(entries_) + " entries that line " +
           std::to_string(sizes_line_) + " promises");
  entry.row = take_index(rest, "row", 1, rows_) - 1;
  entry.column = take_index(rest, "column", 1, rows_) - 1;
  entry.value = pattern_ ? 1.0 : take_value(rest);
  expect_end(rest);
  if (symmetry_ != Symmetry::general && entry.column > entry.row)
    refuse("above the diagonal: the file of a symmetric matrix has the entries below");
  if (symmetry_ == Symmetry::skew_symmetric && entry.column == entry.row)
    refuse("on the diagonal of a skew-symmetric matrix");
  ++read_;
  return true;
}

bool MatrixMarketReader::mirror(Entry& entry) const {
  if (symmetry_ == Symmetry::general || entry.row == entry.column) return false;
  std::swap(entry.row, entry.column);
  if (symmetry_ == Symmetry::skew_symmetric) entry.value = -entry.value;
  return true;
}

bool MatrixMarketReader::next_line(std::string_view& line) {
  while (read_line()) {
    line = trimmed(line_);
    if (!line.empty() && line[0] != '%') return true;
  }
  return false;
}

// Never more of a line than the format allows.
bool MatrixMarketReader::read_line() {
  line_.clear();
  bool any = false;
  const auto next = [this] { return std::getc(file_.get()); };
  for (int letter = next(); letter != EOF; letter = next()) {
    if (!any) ++line_number_;
    any = true;
    if (letter == '\n') return true;
    line_ += static_cast<char>(letter);
    if (line_.size() > most_characters)
      refuse("longer than " + std::to_string(most_characters) + " characters");
  }
  if (std::ferror(file_.get()) != 0) refuse("can't be read");
  return any;
}

void MatrixMarketReader::parse_banner(std::string_view line) {
  constexpr Choice formats[] = {{"coordinate", 0}};
  constexpr Choice fields[] = {{"real", 0}, {"integer", 0}, {"pattern", 1}};
  constexpr Choice symmetries[] = {{"general", int(Symmetry::general)},
                                   {"symmetric", int(Symmetry::symmetric)},
                                   {"skew-symmetric", int(Symmetry::skew_symmetric)}};
  const std::string where = path_ + ":1: ";
  if (take_word(line) != "%%MatrixMarket")
    refuse("no Matrix Market file: it would begin with %%MatrixMarket");
  choose(where + "object", lower(take_word(line)), std::array{Choice{"matrix", 0}});
  choose(where + "format", lower(take_word(line)), formats);
  pattern_ = choose(where + "field", lower(take_word(line)), fields).code != 0;
  symmetry_ = Symmetry(choose(where + "symmetry", lower(take_word(line)), symmetries).code);
}

void MatrixMarketReader::parse_sizes(std::string_view line, std::int64_t most_rows) {
  constexpr std::int64_t any = std::int64_t{1} << 62;
  sizes_line_ = line_number_;
  rows_ = take_index(line, "number of rows", 1, any);
  const std::int64_t columns = take_index(line, "number of columns", 1, any);
  if (columns != rows_)
    refuse("not square: " + std::to_string(rows_) + " x " + std::to_string(columns));
  if (rows_ > most_rows)
    refuse("more rows than this hypre can count: " + std::to_string(rows_) + "; allowed: up to " +
           std::to_string(most_rows) + " (build hypre with --enable-mixedint)");
  const long double square = static_cast<long double>(rows_) * static_cast<long double>(rows_);
  entries_ = take_index(line, "number of entries", 0,
                        square < any ? static_cast<std::int64_t>(square) : any);
  expect_end(line);
}

std::int64_t MatrixMarketReader::take_index(std::string_view& rest, const char* what,
                                            std::int64_t least, std::int64_t most) {
  const std::string_view word = take_word(rest);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty()) refuse(std::string(what) + " is missing");
  if (error != std::errc{} || end != word.data() + word.size() || value < least || value > most)
    refuse(std::string(what) + " is no whole number, or out of range: " + std::string(word) +
           "; allowed: " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

double MatrixMarketReader::take_value(std::string_view& rest) {
  const std::string_view given = take_word(rest);
  const std::string_view word = given.substr(given.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (given.empty()) refuse("value is missing");
  if (error == std::errc::result_out_of_range)  // which leaves open whether too large or too small
    value = std::strtod(std::string(word).c_str(), nullptr);
  if (error == std::errc::invalid_argument || end != word.data() + word.size() ||
      !std::isfinite(value))
    refuse("value is no finite number: " + std::string(given));
  return value;
}

void MatrixMarketReader::expect_end(std::string_view rest) {
  rest = trimmed(rest);
  if (!rest.empty()) refuse("more than expected: " + std::string(rest));
}

void MatrixMarketReader::refuse(const std::string& what) const {
  throw UsageError(path_ + ":" + std::to_string(std::max<std::int64_t>(line_number_, 1)) + ": " +
                   what);
}

}  // namespace odonata::amg
