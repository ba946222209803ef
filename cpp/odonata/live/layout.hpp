// The memory that the ranks of a running program and the simulator share.
//
//     Header | RankArea [ranks] | Bucket [num_buckets] | nodes [ranks] | ring [ranks] |
//     arena [ranks + 1]
//
// All of it is zero at first. Offsets count from the start; 0 is a null offset. The arena after the
// last rank's is the simulator's. Rings and arenas take memory only where they have been touched.
//
// A rank sleeps on `RankArea::bell` and is woken by whoever has something for it: mail, an answer,
// the last arrival of a collective, room in its ring. A ring holds the bytes of records, one right
// after the other, modulo its size; a rank that finds it full fills it to the last byte, rings the
// simulator's bell if that sleeps, and sleeps.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "odonata/units/units.hpp"

namespace odonata::live {

using Offset = std::uint64_t;

inline constexpr std::uint32_t magic = 0x37646f4d;  // "Mod7"
inline constexpr std::uint32_t num_buckets = 4096;
inline constexpr std::size_t num_clocks = 12;  // of the system, by their numbers

/// The event that a sleeping rank waits for, read by the deadlock report.
struct Waiting {
  std::uint16_t function = 0;  // of trace/functions.hpp
  std::uint16_t answer = 0;  // waits for the simulator, not for another rank
  std::int32_t peer = -1;  // rank in the world, or -1
  std::int32_t tag = -1;
  std::uint32_t comm = 0;
};

/// The event that a rank waits for, in shared memory. The simulator may read it while the rank
/// wakes up and goes to sleep again: it sees either state, and looks again after the next record.
class SharedWaiting {
 public:
  void store(const Waiting& waiting) {
    const auto words = std::bit_cast<Words>(waiting);
    for (std::size_t i = 0; i < words.size(); ++i)
      words_[i].store(words[i], std::memory_order_relaxed);
  }
  [[nodiscard]] Waiting load() const {
    Words words{};
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = words_[i].load(std::memory_order_relaxed);
    return std::bit_cast<Waiting>(words);
  }

 private:
  using Words = std::array<std::uint64_t, 2>;
  static_assert(sizeof(Words) == sizeof(Waiting));

  std::array<std::atomic<std::uint64_t>, 2> words_;
};

/// Progress of a rank; aborted: it has printed the reason, and set the code to end with.
enum class Stage : std::uint32_t { started, initialized, finalized, aborted };

/// The ABI of the library that ranks have found; `none` until a rank has initialized MPI.
enum class Abi : std::uint32_t {
  none,
#define ODONATA_ABI(name, ...) name,
#include "odonata/live/abis.inc"
};

/// One rank's part. Each line is written by few.
struct RankArea {
  // by those who wake this rank
  alignas(64) std::atomic<std::uint32_t> bell;  // counts; a futex
  std::atomic<std::uint32_t> sleeping;  // 1 from before it waits on the bell until woken
  std::atomic<Offset> mail;  // newest first: a stack of Mail
  std::atomic<Offset> freed;  // blocks of its arena that others gave back
  // by the rank
  alignas(64) std::atomic<std::uint64_t> head;  // bytes written to its ring, ever
  std::atomic<Stage> stage;
  std::atomic<std::int32_t> pid;
  std::atomic<std::int32_t> exit_code;  // when aborted
  std::atomic<std::uint32_t> wants_threads;  // 1: asked for MPI_THREAD_MULTIPLE
  SharedWaiting waiting;
  // by the simulator
  alignas(64) std::atomic<std::uint64_t> tail;  // bytes read from its ring, ever
  std::atomic<std::uint32_t> wanted;  // the simulator sleeps until there is more in the ring
};

/// A list of collectives under way, by communicator and number; the first ones keep their
/// free memory.
struct Bucket {
  std::atomic<std::uint32_t> lock;
  std::uint32_t reserved;
  Offset first;
};

struct Header {
  std::uint32_t magic;
  std::uint32_t num_ranks;
  std::uint64_t ring_bytes;  // a power of two
  std::uint64_t arena_bytes;
  Offset areas, buckets, rings, arenas;
  std::uint32_t measure;  // 1: ranks measure their processor time between calls
  std::uint32_t lookahead;  // 1: answers hold lookahead, which ranks use
  std::uint32_t recorded;  // 1: compute times are of an earlier run, and ranks do not know them
  std::uint32_t orders;  // 1: ranks ask for the order of topologies that may reorder them
  std::uint32_t host_digits;  // of the number in the name of a node, at least
  std::uint32_t reserved;
  double calibration;  // from measured processor times to times of a rank alone
  double compute_scale;  // from these to the machine's
  Time poll;  // [ps] of a test or probe that finds nothing
  Time wait_per_request;  // [ps] that it takes longer for each request it looks at
  // Ranks that neither sleep nor have ended. The simulator sets it to num_ranks at first. A rank
  // takes itself off before it sets `sleeping`; whoever turns `sleeping` to 0 adds it again.
  alignas(64) std::atomic<std::uint32_t> awake;
  alignas(64) std::atomic<std::uint32_t> simulator_bell;  // a futex
  std::atomic<std::uint32_t> simulator_sleeping;
  std::atomic<std::uint32_t> ended;  // the run is over: ranks leave at once
  std::atomic<Offset> simulator_freed;  // blocks of its arena that ranks gave back
  std::atomic<Offset> questions;  // for orders of ranks, newest first: a stack of Mail
  Offset nodes;  // std::int32_t [ranks]: the node of the machine that each is on
  std::array<char, 36> host_prefix;  // beginning of the name of a node; then zeros
  std::atomic<Abi> abi;  // of all ranks
  std::atomic<std::uint32_t> joined;  // ranks that have started
  std::atomic<std::uint32_t> all_joined;  // 1: all of them have, and the clocks are set
  std::atomic<std::uint32_t> waits_for_time;  // 1: a rank has read a clock again and again
  std::array<std::int64_t, num_clocks> clocks;  // [ns] of the system, when the last rank started
};

/// A message or an answer to a rank, or a question to the simulator, in the sender's arena; the
/// reader frees it.
struct Mail {
  enum class Kind : std::uint32_t { message, answer, question };
  Offset next;  // older mail
  Kind kind;
  std::int32_t source;  // rank in the world
  std::uint64_t comm;  // identity that all members agree on
  std::int32_t tag;
  std::uint32_t serial;  // of messages: counted by source
  std::int64_t bytes;  // of the contents, which follow this header; answers: see trace/codec.hpp
};

/// The start of every block of an arena.
struct Block {
  Offset next;  // in a list of free blocks
  std::uint32_t owner;  // whose arena: a rank, or num_ranks for the simulator's
  std::uint32_t size_class;
};

/// Functions by which fibers of one process sleep and wake; processes use futexes instead.
struct Fibers {
  void* memory;
  const std::int32_t* current;  // rank of the fiber that runs
  void (*sleep)();  // to the scheduler, until woken
  void (*yield)();  // to the scheduler, ready to continue
  void (*wake)(std::int32_t rank);  // rank num_ranks is the simulator
};

}  // namespace odonata::live
