// Many words as runs, in which each word exceeds the previous word by the same step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace odonata::trace {

/// Three words for each run: the first one, the step (modulo 2^64) and how many there are. Nothing
/// where there are few words, or where runs take more than a quarter of their place.
[[nodiscard]] std::vector<std::uint64_t> runs_of(std::span<const std::uint64_t> words);

/// The words of these runs; nothing if they are no runs, or have more than `most` words together.
[[nodiscard]] std::optional<std::vector<std::uint64_t>>
words_of(std::span<const std::uint64_t> runs, std::size_t most);

}  // namespace odonata::trace
