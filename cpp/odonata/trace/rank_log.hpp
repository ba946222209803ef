// Layout of the log that each rank of a real run writes of its calls: a head, then the calls.
//
//     0           LogHead
//     log_start   entry | entry | ...          `used` bytes of them are complete
//
//     entry       LoggedCall | words | outcomes | matches
//
// The recorder maps the file piece by piece, so that a crash of the program loses nothing and the
// memory does not grow. `odonata profile` makes one trace of the logs of all ranks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "odonata/trace/block.hpp"

namespace odonata::trace {

inline constexpr char log_magic[8] = {'\x89', 'O', 'D', 'L', '\r', '\n', '\x1a', '\n'};
inline constexpr std::uint32_t log_version = 1;
inline constexpr std::uint64_t log_start = 65'536;  // [B]

struct LogHead {
  char magic[8];
  std::uint32_t version;
  std::uint32_t ended;  // 1: the rank called MPI_Finalize
  std::int32_t rank;
  std::int32_t ranks;  // of MPI_COMM_WORLD
  std::uint64_t used;  // [B] of entries
  std::uint64_t calls;
  std::uint64_t lost;  // calls for which there was no room on the disk
  double seconds_per_tick;
  std::uint64_t start;         // [ticks] beginning of MPI_Init
  std::uint64_t clock_ticks;   // [ticks] when the clock of the computer was read
  std::int64_t clock_time;     // [ns] since 1970
  char host[256];
  char program[2048];  // its command line
};
static_assert(sizeof(LogHead) == 2384);

/// A call, and how many words, outcomes and matches come after it.
struct LoggedCall {
  Call call;
  std::uint64_t began, ended;  // [ticks]
  std::uint32_t num_outcomes;
  std::uint16_t found;  // a Found
  std::uint16_t num_matches;
};
static_assert(sizeof(LoggedCall) == 72);

}  // namespace odonata::trace
