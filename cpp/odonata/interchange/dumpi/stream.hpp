// The calls of one rank in a DUMPI file, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "odonata/units/errors.hpp"

namespace odonata::interchange::dumpi {

/// Numbers of functions in a file.
enum class Function : std::uint16_t {
#define ODONATA_DUMPI(name, fields) name,
#include "odonata/interchange/dumpi/layouts.inc"
#undef ODONATA_DUMPI
};

/// A row of layouts.inc; `fields` is "-" where records of the function can't be read.
struct Row {
  std::string_view name, fields;
};
[[nodiscard]] std::span<const Row> rows();

/// One field of a record.
struct Field {
  enum class Form : std::uint8_t { number, text, status };

  std::string_view name;
  Form form = Form::number;
  std::uint8_t width = 4;        // of a number [B]
  std::uint8_t arrays = 0;       // how many arrays are around it
  std::uint8_t since = 0;        // 0.6.<since>: older files have it otherwise
  bool at_root = false;          // stands only where the call is the root's
};

/// The fields of the records of each function, by number.
class Layouts {
 public:
  Layouts();
  /// Nothing if records of the function can't be read.
  [[nodiscard]] const std::vector<Field>* of(std::uint16_t function) const;

 private:
  std::vector<std::vector<Field>> all_;
  std::vector<bool> known_;
};

/// Version of DUMPI that wrote a file, as one number: 0.6.9 is 609.
using Version = int;

/// Place of the calls of a file.
struct Place {
  std::uint64_t body = 0;  // first byte of the calls [B]
  Version version = 0;
  std::string name = {};  // of the file, for errors
};

/// Time of entering and leaving a call [ns]; both 0 if the record has none.
struct Span {
  std::int64_t in = 0, out = 0;
};

/// One call. `numbers` are its fields in order: a number as it is, an array as its length and its
/// elements, a text as its offset in the file and its length, statuses as their number and, of
/// each, bytes, source, cancelled, error, tag.
struct Record {
  std::uint16_t function = 0;
  int thread = -1;  // -1: not recorded
  bool has_wall = false, has_cpu = false, has_status = false;
  Span wall, cpu;
  std::uint64_t offset = 0;  // in the file [B]
  std::vector<std::int64_t> numbers;
};

/// Numbers of a status in `Record::numbers`.
inline constexpr std::size_t status_numbers = 5;

/// Reads the calls of a file. Nothing is believed before it is checked: arrays are bounded by the
/// bytes that the file still has.
class Stream {
 public:
  /// `file` must outlive the stream.
  Stream(std::span<const std::uint8_t> file, Place place);

  /// The next call; false at the end of the stream. Throws UserError.
  bool next(Record& record);

 private:
  std::uint64_t number(int width);
  std::int64_t signed_number(int width);
  std::uint64_t length(std::size_t least);
  Span span(std::int64_t offset);
  void head(Record& record);
  void field(const Field& field, Record& record);
  void elements(const Field& field, int arrays, Record& record);
  void element(const Field& field, Record& record);
  void text(Record& record);
  void statuses(Record& record);
  [[noreturn]] void refuse(const std::string& what) const;

  Layouts layouts_;
  std::span<const std::uint8_t> file_;
  std::uint64_t at_;
  std::uint64_t record_at_ = 0;
  Version version_;
  std::string name_;
  std::int64_t cpu_offset_ = 0, wall_offset_ = 0;  // [s]
};

}  // namespace odonata::interchange::dumpi
