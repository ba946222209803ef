// Collectives under way, in the memory that the ranks share.
//
// The first member to come allocates a `Gathering` with one seat a member, found through a bucket
// by the communicator's identity and the number of the collective. Everyone leaves its packed
// contribution at its seat (small ones in the seat itself, others in a block of the pool) and
// reads those of the others where they lie. The last to leave frees everything.
//
//     Gathering | Seat [members]
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "libmpi/core/link.hpp"
#include "odonata/trace/functions.hpp"

namespace odonata::libmpi {

/// Whom a member has to wait for.
enum class Need : std::uint32_t {
  nobody,
  one,        // the seat `who`
  before,     // all seats before `who`
  sources,    // as many announcements as it has sources (Arrival::sources)
  everybody,
};

/// A member's place in a collective.
struct Place {
  std::uint64_t identity = 0;               // of the communicator
  std::uint64_t number = 0;                 // of the collective on it
  std::span<const std::int32_t> members;  // ranks of the world, one a seat; must outlive the visit
  int seat = 0;  // mine
};

/// What all members have to agree on, and the function that was called, for the message if not.
struct Agreement {
  std::uint32_t what = 0;
  std::int32_t root = -1;  // a seat, -1 where there is none or it is not known
  trace::Function function = {};
};

/// What a member brings, and what it waits for.
struct Arrival {
  Need need = Need::nobody;
  int who = 0;
  std::span<const std::int32_t> sources = {};  // seats that announce something to this one
  std::span<const std::int32_t> destinations = {};  // seats that this one announces something to
};

struct Gathering;
struct Seat;

/// One member's stay at one collective; leaves when destroyed.
class Visit {
 public:
  /// Takes the seat with `bytes` of contribution, to be written before `arrive`.
  /// Throws Error when another member called something else.
  Visit(Link& link, const Place& place, const Agreement& agreement, std::size_t bytes);
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  /// Where to write this member's contribution.
  [[nodiscard]] std::span<std::byte> mine();
  /// Shows the contribution to the others and wakes those that it completes. The last member to
  /// arrive runs `at_last` first: it may read all contributions and set results.
  void arrive(const Arrival& arrival, const std::function<void(Visit&)>& at_last = {});

  /// Has come what this member waits for?
  [[nodiscard]] bool ready() const;
  /// A rank of the world that it waits for, -1 if none.
  [[nodiscard]] std::int32_t missing() const;
  /// What the member at a seat brought; it has arrived.
  [[nodiscard]] std::span<const std::byte> contribution(int seat) const;

  /// The same, to be overwritten: in `at_last`, or by the only member that reads it.
  [[nodiscard]] std::span<std::byte> open(int seat) const;

  /// Makes what now lies at a seat a result for everybody. There is room for two, one a group of an
  /// intercommunicator. Only in `at_last`.
  void set_result(int which, int seat) const;
  /// Empty where none was set.
  [[nodiscard]] std::span<const std::byte> result(int which) const;

 private:
  [[nodiscard]] Seat& seat(int index) const;
  void join(const Agreement& agreement);
  void check(const Agreement& agreement);
  std::vector<int> take_note(const Arrival& arrival);
  void wake_waiting(Need need, int begin, int end) const;
  void clear();

  Link& link_;
  Place place_;
  std::int32_t root_;
  Need need_ = Need::nobody;
  int who_ = 0;
  std::vector<std::int32_t> sources_;
  Gathering* gathering_ = nullptr;
  Offset offset_ = 0;  // of the gathering
};

}  // namespace odonata::libmpi
