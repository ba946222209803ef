// Collectives in progress, in the memory that the ranks share.
//
// The first member to arrive allocates a `Gathering` with one seat for each member. A bucket leads
// to it by the communicator's identity and the number of the collective. Every member leaves its
// packed contribution at its seat (a small one in the seat itself, others in a block of the pool)
// and reads the other contributions in place. The last to leave frees everything.
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

#include "odonata/trace/functions.hpp"
#include "preload/libmpi/core/shared_memory/endpoint.hpp"

namespace odonata::libmpi {

/// The members that a member has to wait for.
enum class Need : std::uint32_t {
  nobody,
  one,        // the seat `who`
  before,     // all seats before `who`
  sources,    // one announcement from each source (Arrival::sources)
  everybody,
};

/// A collective and a member's seat in it.
struct Seating {
  std::uint64_t identity = 0;               // of the communicator
  std::uint64_t number = 0;                 // of the collective on it
  std::span<const std::int32_t> members;  // ranks of the world, one a seat; must outlive the visit
  int seat = 0;  // mine
};

/// Properties that all members have to agree on, and the function for the message if they do not.
struct Agreement {
  std::uint32_t what = 0;
  std::int32_t root = -1;  // a seat, -1 without a root or if it is unknown
  trace::Function function = {};
};

/// Announcements that a member makes on arrival, and announcements that it waits for.
struct Arrival {
  Need need = Need::nobody;
  int who = 0;
  std::span<const std::int32_t> sources = {};  // seats that announce something to this one
  std::span<const std::int32_t> destinations = {};  // seats that this one announces something to
};

struct Gathering;
struct Seat;

/// The stay of one member at one collective. The member leaves when this is destroyed.
class Visit {
 public:
  /// Takes the seat, with room for `bytes` of contribution that are written before `arrive`.
  /// Throws Error if another member made a different call.
  Visit(Endpoint& endpoint, const Seating& seating, const Agreement& agreement, std::size_t bytes);
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  /// The room for this member's contribution.
  [[nodiscard]] std::span<std::byte> mine();
  /// Shows the contribution to the other members and wakes members that waited for it. The last
  /// member to arrive first runs `at_last`, which may read all contributions and set results.
  void arrive(const Arrival& arrival, const std::function<void(Visit&)>& at_last = {});

  /// Have all the contributions arrived that this member waits for?
  [[nodiscard]] bool ready() const;
  /// A rank of the world that this member waits for, or -1.
  [[nodiscard]] std::int32_t missing() const;
  /// The contribution of the member at a seat, which has arrived.
  [[nodiscard]] std::span<const std::byte> contribution(int seat) const;

  /// The same, writable: in `at_last`, or for the only member that reads it.
  [[nodiscard]] std::span<std::byte> open(int seat) const;

  /// Makes the contribution at a seat a result for all members. An intercommunicator has two
  /// results, one for each group. Called in `at_last` only.
  void set_result(int which, int seat) const;
  /// A result; empty if it was not set.
  [[nodiscard]] std::span<const std::byte> result(int which) const;

 private:
  [[nodiscard]] Seat& seat(int index) const;
  void join(const Agreement& agreement);
  void check(const Agreement& agreement);
  std::vector<int> take_note(const Arrival& arrival);
  void wake_waiting(Need need, int begin, int end) const;
  void clear();

  Endpoint& endpoint_;
  Seating seating_;
  std::int32_t root_;
  Need need_ = Need::nobody;
  int who_ = 0;
  std::vector<std::int32_t> sources_;
  Gathering* gathering_ = nullptr;
  Offset offset_ = 0;  // of the gathering
};

}  // namespace odonata::libmpi
