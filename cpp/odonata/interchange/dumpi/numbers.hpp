// The fields of a DUMPI record, taken one after the other.
#pragma once

#include <cstdint>
#include <span>

#include "odonata/interchange/dumpi/stream.hpp"

namespace odonata::interchange::dumpi {

/// Takes the numbers of a record in the order of its layout.
class Numbers {
 public:
  explicit Numbers(const Record& record) : rest_(record.numbers) {}

  std::int64_t next() { return take(1).front(); }
  /// Elements of an array of numbers.
  std::span<const std::int64_t> array() { return take(static_cast<std::size_t>(next())); }
  /// `status_numbers` of each status.
  std::span<const std::int64_t> statuses() {
    return take(static_cast<std::size_t>(next()) * status_numbers);
  }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  std::span<const std::int64_t> take(std::size_t count) {
    if (count > rest_.size()) throw InternalError("dumpi: a record without its fields");
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  std::span<const std::int64_t> rest_;
};

}  // namespace odonata::interchange::dumpi
