// Calls and answers as bytes, which ranks and the simulator pass to each other through shared
// memory, and names of the fields of calls in files.
//
//     call      Call | words, in runs where the flags say so | known end [ps], where they say so
//     answer    AnswerHead | outcomes
//
// The members of a communicator, of which each of its ranks tells, are a few runs nearly always: in
// full, the words of all ranks together would grow with the square of their number.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "odonata/trace/call.hpp"
#include "odonata/trace/runs.hpp"

namespace odonata::trace {

// ---- calls

/// Hands a call with its words to `put`, piece by piece. `known_end` [ps]: when it is over, where
/// the rank knows that.
template <class Put>
void encode(Call call, std::span<const std::uint64_t> words, std::optional<Time> known_end,
            Put put) {
  const std::vector<std::uint64_t> runs = runs_of(words);
  if (!runs.empty()) call.flags |= Call::in_runs, words = runs;
  call.num_words = static_cast<std::uint32_t>(words.size());
  if (known_end) call.flags |= Call::known;
  put(std::as_bytes(std::span(&call, 1)));
  if (!words.empty()) put(std::as_bytes(words));
  if (known_end) put(std::as_bytes(std::span(&*known_end, 1)));
}

/// A call that was read.
struct Decoded {
  std::size_t bytes = 0;  // that it took; 0: there is no whole call
  Time known_end = -1;  // [ps] when it is over, where the rank knows that; else -1
};

/// Reads the first call of a rank into `record`, whose outcome stays as it is. Throws InternalError
/// if it is no call; words are bounded before memory is taken for them.
Decoded decode(std::span<const std::byte> from, int rank, Record& record);

/// The call that comes first, with the flags that it has in a ring; nothing if it is not whole.
[[nodiscard]] std::optional<Call> peek(std::span<const std::byte> from);

// ---- answers

/// [B]
[[nodiscard]] std::size_t encoded_bytes(const Answer& answer);
/// Writes as many bytes.
void encode(const Answer& answer, std::byte* to);
[[nodiscard]] Answer decode_answer(const std::byte* from);

// ---- names

/// A number of a call: `view` is the kind of calls that have it, "" for all calls.
struct Field {
  std::string_view view, name;
  std::size_t offset;  // [B] in a Call
  std::size_t bytes;
  bool is_signed;
};

/// All fields, view by view in the order of Kind; a file has a column of each.
[[nodiscard]] std::span<const Field> fields();

}  // namespace odonata::trace
