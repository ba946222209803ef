// Layout of a rank's profile in memory and in its file: a head, then a table of cells.
//
//     0      Head
//     table  Cell[capacity], at the place that the head names; a cell without a key is empty
//
// A recorder maps the file and counts in it, so that a crash of the program loses nothing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace odonata::profile {

inline constexpr char magic[8] = {'\x89', 'O', 'D', 'P', '\r', '\n', '\x1a', '\n'};
inline constexpr std::uint32_t version = 1;

/// How far the rank has come.
enum class State : std::uint32_t { running, ended };

/// Phases that a rank can tell apart; later ones count as the last, whose level is the least.
inline constexpr std::uint32_t most_phases = 256;
inline constexpr std::uint32_t other_phase = most_phases - 1;
inline constexpr std::int32_t no_phase = 13'663'999;  // the level that marks it, and the first one

struct Head {
  char magic[8];
  std::uint32_t version;
  State state;
  std::int32_t rank;
  std::int32_t ranks;  // of MPI_COMM_WORLD
  std::uint64_t table;  // [B] from the beginning of the file
  std::uint64_t capacity;  // cells of the table
  std::uint64_t used;  // cells with a key
  std::uint64_t lost;  // counts that found no memory
  double seconds_per_tick;
  std::uint64_t start;  // [ticks] beginning of MPI_Init
  std::uint64_t latest;  // [ticks] end of the latest call
  std::uint64_t phase_start;  // [ticks] since when the current phase lasts
  std::uint32_t phase;  // the current one, an index into `phases`
  std::uint32_t num_phases;
  char library[16];  // ABI of MPI
  char host[256];
  char program[2048];
  std::int32_t phases[most_phases];  // levels of MPI_Pcontrol, in the order of their first use
};
inline constexpr std::size_t head_bytes = 4096;
static_assert(sizeof(Head) <= head_bytes);
static_assert(offsetof(Head, phases) == 2416);

/// Subject of a cell.
enum class Kind : std::uint32_t {
  none,
  call,  // function, found: calls, time in them
  size,  // function, size class: messages or blocks of collectives, their bytes
  pair,  // -, rank in the world: messages to it, their bytes
  collective,  // operation, ranks of the communicator and whether the rank is the root: calls,
               // share
  phase  // -, -: times entered, time in it
};

/// A counter. The key's bits from the top: 4 kind, 8 phase, 16 function or operation, 36 rest.
struct Cell {
  std::uint64_t key;
  std::uint64_t count;
  std::uint64_t bytes;  // [B]
  std::uint64_t time;  // [ticks]
};
static_assert(sizeof(Cell) == 32);

inline constexpr std::uint64_t at_root = std::uint64_t{1} << 35U;

[[nodiscard]] constexpr std::uint64_t key(Kind kind, std::uint32_t phase, std::uint32_t what,
                                          std::uint64_t rest) {
  return std::uint64_t{static_cast<std::uint32_t>(kind)} << 60U | std::uint64_t{phase} << 52U |
         std::uint64_t{what} << 36U | rest;
}

/// The class of a size: 0 for none, else k with 2^(k-2) < bytes <= 2^(k-1).
[[nodiscard]] constexpr std::uint32_t size_class(std::uint64_t bytes) {
  if (bytes <= 1) return static_cast<std::uint32_t>(bytes);
  return 65U - static_cast<std::uint32_t>(__builtin_clzll(bytes - 1));
}
static_assert(size_class(0) == 0 && size_class(1) == 1 && size_class(2) == 2);
static_assert(size_class(3) == 3 && size_class(4) == 3 && size_class(64) == 7);
static_assert(size_class(65) == 8 && size_class(256) == 9);

}  // namespace odonata::profile
