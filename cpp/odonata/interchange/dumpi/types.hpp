// Sizes of datatypes in a DUMPI trace.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "odonata/interchange/dumpi/numbers.hpp"

namespace odonata::interchange::dumpi {

/// Sizes of datatypes: listed in the file, or derived from the calls that make types of other
/// types.
class Types {
 public:
  /// `listed` is by number of the type [B]; 0 or less: not known.
  explicit Types(std::vector<std::int64_t> listed) : listed_(std::move(listed)) {}

  /// Learns from a call, if it makes a type or asks for its size.
  void note(const Record& call);
  /// Size of an element [B].
  [[nodiscard]] std::optional<std::int64_t> size(std::int64_t type) const;

 private:
  void make(std::int64_t type, std::int64_t count, std::int64_t old);
  void make_struct(std::int64_t type, std::span<const std::int64_t> lengths,
                   std::span<const std::int64_t> olds);

  std::vector<std::int64_t> listed_;
  std::unordered_map<std::int64_t, std::int64_t> made_;
};

}  // namespace odonata::interchange::dumpi
