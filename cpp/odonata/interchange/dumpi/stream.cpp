#include "odonata/interchange/dumpi/stream.hpp"

#include <charconv>
#include <utility>

namespace odonata::interchange::dumpi {

namespace {

constexpr std::uint16_t end_of_stream = 293;
constexpr int status_mask = 0x03, cpu_mask = 0x04, wall_mask = 0x08, thread_mask = 0x40,
              counters_mask = 0x80;
constexpr Version release = 600;  // 0.6.0
constexpr Version tags_in_statuses = 603;
constexpr std::int64_t any_tag = -1;
constexpr std::int64_t second = 1'000'000'000;  // [ns]
constexpr std::int64_t wraps = 65'536;          // [s]: seconds have 16 bits

constexpr Row all_rows[] = {
#define ODONATA_DUMPI(name, fields) {#name, fields},
#include "odonata/interchange/dumpi/layouts.inc"
#undef ODONATA_DUMPI
};

Field parse(std::string_view text) {
  Field field;
  field.at_root = text.front() == '?';
  if (field.at_root) text.remove_prefix(1);
  const std::size_t colon = text.find(':');
  field.name = text.substr(0, colon);
  std::string_view form = text.substr(colon + 1);
  if (const std::size_t since = form.find('@'); since != std::string_view::npos) {
    std::from_chars(form.data() + since + 1, form.data() + form.size(), field.since);
    form = form.substr(0, since);
  }
  while (form.back() == '*') {
    ++field.arrays;
    form.remove_suffix(1);
  }
  if (form == "text")
    field.form = Field::Form::text;
  else if (form == "status")
    field.form = Field::Form::status;
  else
    std::from_chars(form.data(), form.data() + form.size(), field.width);
  return field;
}

std::vector<Field> parse_all(std::string_view text) {
  std::vector<Field> fields;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    fields.push_back(parse(text.substr(0, blank)));
    text = blank == std::string_view::npos ? std::string_view{} : text.substr(blank + 1);
  }
  return fields;
}

}  // namespace

std::span<const Row> rows() { return all_rows; }

Layouts::Layouts() {
  for (const Row& row : all_rows) {
    known_.push_back(row.fields != "-");
    all_.push_back(known_.back() ? parse_all(row.fields) : std::vector<Field>{});
  }
}

const std::vector<Field>* Layouts::of(std::uint16_t function) const {
  return function < all_.size() && known_[function] ? &all_[function] : nullptr;
}

Stream::Stream(std::span<const std::uint8_t> file, Place place)
    : file_(file), at_(place.body), version_(place.version), name_(std::move(place.name)) {
  cpu_offset_ = signed_number(4);
  wall_offset_ = signed_number(4);
}

bool Stream::next(Record& record) {
  record_at_ = at_;
  record.offset = at_;
  record.function = static_cast<std::uint16_t>(number(2));
  if (record.function == end_of_stream) return false;
  const std::vector<Field>* fields = layouts_.of(record.function);
  if (fields == nullptr)
    refuse("function number " + std::to_string(record.function) +
           ", whose records are unknown; what follows can't be read");
  record.numbers.clear();
  head(record);
  std::int64_t rank = -1, root = -2;
  for (const Field& f : *fields) {
    if (f.at_root && rank != root) continue;
    field(f, record);
    if (f.name.ends_with("rank")) rank = record.numbers.back();
    if (f.name == "root") root = record.numbers.back();
  }
  return true;
}

void Stream::head(Record& record) {
  const auto mask = static_cast<int>(number(1));
  record.has_status = (mask & status_mask) != 0;
  record.has_cpu = (mask & cpu_mask) != 0;
  record.has_wall = (mask & wall_mask) != 0;
  record.thread = (mask & thread_mask) != 0 ? static_cast<int>(number(2)) : -1;
  record.cpu = record.has_cpu ? span(cpu_offset_) : Span{};
  record.wall = record.has_wall ? span(wall_offset_) : Span{};
  if ((mask & counters_mask) == 0) return;
  constexpr std::uint64_t counter = 16;  // [B]: before and after the call
  const std::uint64_t skipped = counter * number(1);
  if (skipped > file_.size() - at_) refuse("counters beyond the end of the file");
  at_ += skipped;
}

// Seconds have 16 bits: a call that ends in a smaller second than it began went on past a wrap.
Span Stream::span(std::int64_t offset) {
  Span got;
  const auto in = static_cast<std::int64_t>(number(2)), in_rest = signed_number(4);
  auto out = static_cast<std::int64_t>(number(2));
  const std::int64_t out_rest = signed_number(4);
  if (out + wraps / 2 < in) out += wraps;
  got.in = (in + offset) * second + in_rest;
  got.out = (out + offset) * second + out_rest;
  return got;
}

void Stream::field(const Field& f, Record& record) {
  const bool old = f.since > 0 && version_ < release + f.since;
  if (f.form == Field::Form::status) return statuses(record);
  if (!old) return elements(f, f.arrays, record);
  if (f.form == Field::Form::text) {
    number(4);
    return elements(f, f.arrays, record);
  }
  record.numbers.push_back(1);
  element(f, record);
}

void Stream::elements(const Field& f, int arrays, Record& record) {
  if (arrays == 0) return element(f, record);
  const std::size_t least = arrays > 1 || f.form == Field::Form::text ? 4 : f.width;
  const std::uint64_t count = length(least);
  record.numbers.push_back(static_cast<std::int64_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) elements(f, arrays - 1, record);
}

void Stream::element(const Field& f, Record& record) {
  if (f.form == Field::Form::text) return text(record);
  record.numbers.push_back(f.width < 4 ? static_cast<std::int64_t>(number(f.width))
                                       : signed_number(f.width));
}

void Stream::text(Record& record) {
  const std::uint64_t count = length(1);
  record.numbers.push_back(static_cast<std::int64_t>(at_));
  record.numbers.push_back(static_cast<std::int64_t>(count));
  at_ += count;
}

void Stream::statuses(Record& record) {
  if (!record.has_status) return record.numbers.push_back(0);
  const bool tags = version_ >= tags_in_statuses;
  const std::uint64_t count = length(tags ? 14 : 10);
  record.numbers.push_back(static_cast<std::int64_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    for (const int width : {4, 4}) record.numbers.push_back(signed_number(width));
    for (const int width : {1, 1})
      record.numbers.push_back(static_cast<std::int64_t>(number(width)));
    record.numbers.push_back(tags ? signed_number(4) : any_tag);
  }
}

// Number of elements that follow, of at least so many bytes each.
std::uint64_t Stream::length(std::size_t least) {
  const std::int64_t count = signed_number(4);
  if (count < 0 || static_cast<std::uint64_t>(count) > (file_.size() - at_) / least)
    refuse("an array of " + std::to_string(count) + " elements, more than the file has");
  return static_cast<std::uint64_t>(count);
}

std::uint64_t Stream::number(int width) {
  if (at_ > file_.size() || static_cast<std::uint64_t>(width) > file_.size() - at_)
    refuse("the file ends in the middle of its calls");
  std::uint64_t value = 0;
  for (int i = 0; i < width; ++i) value = value << 8U | file_[at_++];
  return value;
}

std::int64_t Stream::signed_number(int width) {
  const std::uint64_t value = number(width);
  return width == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                    : static_cast<std::int64_t>(value);
}

void Stream::refuse(const std::string& what) const {
  throw UserError(name_ + ": record at byte " + std::to_string(record_at_) + ": " + what);
}

}  // namespace odonata::interchange::dumpi
