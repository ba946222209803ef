// The shared memory of a run, as layout.hpp draws it: made by the simulator, mapped by every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "odonata/live/layout.hpp"

namespace odonata::live {

inline constexpr int most_ranks = 65536;

/// Environment of a rank that is a process.
inline constexpr const char* memory_variable = "ODONATA_MEMORY";  // a path to open
inline constexpr const char* rank_variable = "ODONATA_RANK";
inline constexpr const char* host_variable = "ODONATA_HOST";  // name of the rank's node
inline constexpr const char* program_variable = "ODONATA_PROGRAM";  // its number: MPI_APPNUM

struct MemoryOptions {
  int num_ranks = 1;
  std::uint64_t ring_bytes = 0;   // [B] of one rank, a power of two; 0: by the number of ranks
  std::uint64_t arena_bytes = 0;  // [B] of address space of one rank; 0: by the number of ranks
  bool measure = false;           // ranks measure their processor time
  bool lookahead = false;          // ranks may answer calls by their lookahead
  bool recorded = false;          // compute times are of an earlier run
  bool orders = false;            // ranks ask for the order of topologies
  double calibration = 1;         // of the processor times that are measured
  double compute_scale = 1;       // of these
  Time poll = 0;                  // [ps] of a test or probe that finds nothing
  Time wait_per_request = 0;      // [ps] that it takes longer for each request it looks at
  bool shared = true;             // other processes can map it
  std::vector<std::int32_t> nodes = {};  // [num_ranks] where each one is; empty: one node each
  std::string host_prefix = "nid";  // of the names of nodes
  int host_digits = 5;              // of the numbers in them, at least
};

/// Owns the mapping, and of a shared one that it made, the file: it has no name, and is gone with
/// the last process that has it.
class Memory {
 public:
  explicit Memory(const MemoryOptions& options);
  /// Maps the memory of a run at this path. Throws UserError if the file is no such memory.
  static Memory attach(const std::string& path);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;
  ~Memory();

  [[nodiscard]] void* start() const { return start_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Path by which other processes of this user open it.
  [[nodiscard]] std::string path() const;
  [[nodiscard]] int num_ranks() const { return static_cast<int>(header().num_ranks); }
  [[nodiscard]] Header& header() const { return *static_cast<Header*>(start_); }
  [[nodiscard]] std::byte* at(Offset offset) const {
    return static_cast<std::byte*>(start_) + offset;
  }
  [[nodiscard]] RankArea& area(int rank) const {
    return reinterpret_cast<RankArea*>(at(header().areas))[rank];
  }
  [[nodiscard]] std::byte* ring(int rank) const {
    return at(header().rings) + static_cast<std::uint64_t>(rank) * header().ring_bytes;
  }
  /// Has a rank ever initialized MPI?
  [[nodiscard]] bool used() const;
  /// `num_ranks` is the simulator's.
  [[nodiscard]] Offset arena(int rank) const {
    return header().arenas + static_cast<std::uint64_t>(rank) * header().arena_bytes;
  }

 private:
  Memory() = default;

  void* start_ = nullptr;
  std::size_t bytes_ = 0;
  int file_ = -1;
};

/// Name of an ABI in the option --abi; empty for none.
[[nodiscard]] const char* abi_name(Abi abi);

/// The name of the node that a rank is on, as programs and messages have it: "nid00017",
/// or as the prefix and the digits of the memory's options want it.
[[nodiscard]] std::string node_name(const Header& header, int rank);

/// The end of a line about a rank that ended early: a thread level that was not provided may be the
/// cause. Empty if the rank asked for none.
[[nodiscard]] const char* thread_hint(const RankArea& area);

}  // namespace odonata::live
