#pragma once

#include <charconv>
#include <cmath>
#include <ostream>
#include <string_view>

#include "amg/text.hpp"

namespace odonata::amg {

// Writes one JSON document as it comes; numbers with all their digits.
class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  void begin(std::string_view key = {}) { open(key, '{'); }
  void end() { close('}'); }
  void begin_list(std::string_view key = {}) { open(key, '['); }
  void end_list() { close(']'); }

  void put(std::string_view key, std::string_view value) { lead(key), quote(value); }
  void put(std::string_view key, const char* value) { put(key, std::string_view(value)); }
  void put(std::string_view key, bool value) { lead(key), out_ << (value ? "true" : "false"); }
  void put_null(std::string_view key) { lead(key), out_ << "null"; }
  void put(std::string_view key, int value) { put(key, static_cast<long long>(value)); }
  void put(std::string_view key, long long value) { lead(key), out_ << value; }
  void put(std::string_view key, double value) {
    lead(key);
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    if (std::isfinite(value))
      out_.write(digits, end - digits);
    else
      out_ << "null";
  }

  template <class List>
  void put_list(std::string_view key, const List& values) {
    lead(key);
    out_ << '[';
    const char* between = "";
    for (const auto& value : values) out_ << between << value, between = ", ";
    out_ << ']';
  }

 private:
  void lead(std::string_view key) {
    if (depth_ > 0) out_ << (first_ ? "\n" : ",\n");
    first_ = false;
    for (int i = 0; i < depth_; ++i) out_ << ' ';
    if (!key.empty()) quote(key), out_ << ": ";
  }
  void open(std::string_view key, char bracket) {
    lead(key);
    out_ << bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket) {
    --depth_;
    out_ << '\n';
    for (int i = 0; i < depth_; ++i) out_ << ' ';
    out_ << bracket;
    first_ = false;
    if (depth_ == 0) out_ << '\n';
  }
  void quote(std::string_view text) {
    out_ << '"';
    for (const char letter : shown(text)) {
      if (letter == '"' || letter == '\\') out_ << '\\';
      out_ << letter;
    }
    out_ << '"';
  }

  std::ostream& out_;
  int depth_ = 0;
  bool first_ = true;
};

}  // namespace odonata::amg
