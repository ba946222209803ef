// The log of causes: the work and the waits of each rank, and the messages that ended waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "odonata/engine/way.hpp"
#include "odonata/explain/categories.hpp"
#include "odonata/mpi/observer.hpp"
#include "odonata/random/draws.hpp"

namespace odonata {

/// Identity of a crossing: the rank at which it ended, and its number among the rank's crossings.
struct CrossingId {
  static constexpr int number_bits = 31;
  static constexpr std::uint32_t most_of_rank = std::uint32_t{1} << number_bits;

  std::int32_t rank = -1;  // -1: no crossing
  std::uint32_t number = 0;

  explicit operator bool() const { return rank >= 0; }
  friend bool operator==(const CrossingId&, const CrossingId&) = default;

  /// The identity of a crossing as the value of an entry, and back.
  [[nodiscard]] std::uint64_t value() const {
    return static_cast<std::uint64_t>(rank) << number_bits | number;
  }
  [[nodiscard]] static CrossingId of(std::uint64_t value) {
    return {static_cast<std::int32_t>(value >> number_bits),
            static_cast<std::uint32_t>(value & (most_of_rank - 1))};
  }
};

/// A crossing that something waited for, in half a line of the cache.
struct Crossing {
  static constexpr std::uint64_t most_pieces = 0xffffffffff, most_of_one = 0xffffff;
  static constexpr std::uint64_t most_bytes = 0xffffffffffffff;

  Time handed = 0;  // [ps] to the NIC
  std::int32_t from = 0, to = 0;  // ranks, of the whole message
  std::uint64_t first : 40 = 0;  // piece
  std::uint64_t pieces : 24 = 0;
  std::uint64_t bytes : 56 = 0;  // [B]
  std::uint64_t kind : 6 = 0;
  std::uint64_t follows : 1 = 0;  // it has a parent: the crossing whose end handed it over
  std::uint64_t found_busy : 1 = 0;  // it found its NIC busy

  [[nodiscard]] Leg leg() const { return static_cast<Leg>(kind); }
  /// Rank that handed it over.
  [[nodiscard]] std::int32_t launcher() const { return leg() == Leg::answer ? to : from; }
};
static_assert(sizeof(Crossing) == 32);

/// The busy_period of a message at a NIC that was busy without a break since it took another
/// message: the time between belongs to the messages before it.
struct BusyPeriod {
  Time begin = 0;  // [ps] when the first message was handed over,
  Time gaps = 0;   // [ps] of the time since then: gaps between messages
  std::int32_t launcher = 0;  // by this rank,
  CrossingId parent;  // or by the end of this crossing
  std::int32_t link = 0;  // of the NIC
};

/// Crossings that a rank keeps, and their pieces.
class Crossings {
 public:
  /// Adds a crossing with its pieces, parent and busy period; returns its number.
  std::uint32_t add(Crossing crossing, std::span<const Piece> way, CrossingId parent,
                    const std::optional<BusyPeriod>& busy_period);
  /// Takes back the last entry.
  void take_back();

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  /// Pieces of all of them; shared pieces count once for each.
  [[nodiscard]] std::uint64_t num_pieces() const { return num_pieces_; }
  [[nodiscard]] const Crossing& operator[](std::uint32_t number) const { return all_[number]; }
  [[nodiscard]] Piece piece(std::uint64_t number) const { return pieces_[number]; }
  template <class Visit>
  void for_each_piece(const Crossing& crossing, Visit visit) const {
    const std::uint64_t end = crossing.first + crossing.pieces;
    for (std::uint64_t i = crossing.first; i < end; ++i) visit(pieces_[i]);
  }
  /// When it was at its node, or out of the first one [ps].
  [[nodiscard]] Time end(const Crossing& crossing) const;
  /// Crossing whose end handed it over, if no processor did.
  [[nodiscard]] CrossingId parent(std::uint32_t number) const;
  /// The busy period in which it was handed over; null if its NIC was idle.
  [[nodiscard]] const BusyPeriod* busy_period(std::uint32_t number) const;

 private:
  struct Parent {
    std::uint32_t crossing;
    CrossingId parent;
  };
  struct FoundBusy {
    std::uint32_t crossing;
    BusyPeriod busy_period;
  };

  [[nodiscard]] bool repeats_last(std::span<const Piece> way) const;

  std::uint64_t num_pieces_ = 0;
  bool shares_ = false;  // the last has the pieces of another one
  std::vector<Crossing> all_;
  std::vector<Piece> pieces_;  // of all crossings
  std::vector<Parent> parents_;  // of crossings that have one, in their order
  std::vector<FoundBusy> busy_periods_;
};

/// The call, the communicator and the phase that a rank is in.
struct Scope {
  std::int32_t job = 0;
  std::int32_t phase = -1;         // -1: none
  std::int32_t communicator = -1;  // -1: none
  bool collective = false;         // a blocking one
  std::string function;            // empty: outside of MPI
};

/// Its name as a key: a view of a scope that is kept, or of one that may be new.
struct ScopeKey {
  std::int32_t job, phase, communicator;
  bool collective;
  std::string_view function;

  friend bool operator==(const ScopeKey&, const ScopeKey&) = default;
  /// The same without a look at the letters of the function's name, which stay where they are: keys
  /// that are equal may yet have their letters in two places.
  [[nodiscard]] bool is(const ScopeKey& other) const {
    return is_call(other.function, other.collective, other.communicator) && phase == other.phase &&
           job == other.job;
  }
  /// Is it, in this way, the key of such a call, whatever the job and the phase?
  [[nodiscard]] bool is_call(std::string_view name, bool blocking, std::int32_t in) const {
    return function.data() == name.data() && function.size() == name.size() && communicator == in &&
           collective == blocking;
  }
  /// A number that is the same for keys of which each is the other.
  [[nodiscard]] std::size_t place() const {
    return mixed(reinterpret_cast<std::uintptr_t>(function.data()));
  }
  /// All of it but the function's name, mixed with a number that stands for that.
  [[nodiscard]] std::uint64_t mixed(std::uint64_t name) const {
    const auto bits = [](std::int32_t number) { return static_cast<std::uint32_t>(number); };
    const std::uint64_t where = std::uint64_t{bits(job)} << 32 | bits(phase);
    const std::uint64_t call = std::uint64_t{bits(communicator)} << 1 | (collective ? 1 : 0);
    return mix(mix(name ^ where) ^ call);
  }
};

struct ScopeHash {
  std::size_t operator()(const ScopeKey& key) const {
    return key.mixed(std::hash<std::string_view>{}(key.function));
  }
};

/// | kind 5 | value 59 |: a kind of work and its time [ps], or a change of scope.
class TimelineEntry {
 public:
  enum Kind : std::uint8_t { pause = num_works, idle, scope, cause };
  static constexpr std::uint64_t most = (std::uint64_t{1} << 59) - 1;  // as a value
  static constexpr Time longest = static_cast<Time>(most) - 1;  // [ps] of an entry: 6 days

  TimelineEntry(std::uint8_t kind, std::uint64_t value)
      : word_(static_cast<std::uint64_t>(kind) << 59 | value) {}

  [[nodiscard]] std::uint8_t kind() const { return static_cast<std::uint8_t>(word_ >> 59); }
  [[nodiscard]] std::uint64_t value() const { return word_ & most; }
  [[nodiscard]] Time time() const { return static_cast<Time>(value()); }
  void lengthen(Time time) { word_ += static_cast<std::uint64_t>(time); }

 private:
  std::uint64_t word_;
};

/// Work and waits of a rank from time 0 on. A wait is a cause (its crossing) and an idle entry; a
/// change of scope tells the scope before it. So the timeline is read from its end.
struct RankTimeline {
  std::vector<TimelineEntry> entries;
  Time end = 0;  // [ps] of the last entry
  std::uint32_t scope = 0;  // at the end
  std::int32_t job = 0;
  Time finished = -1;  // [ps] end of the rank's program
};

/// Everything that is kept, by rank. Entries and crossings are for the critical path; the breakdown
/// alone has none.
struct CauseLog {
  std::vector<RankTimeline> timelines;
  std::vector<Crossings> crossings;
  std::deque<Scope> scopes;  // which stay where they are

  [[nodiscard]] const Crossing& operator[](CrossingId id) const {
    return crossings[id.rank][id.number];
  }
  [[nodiscard]] Time end(CrossingId id) const { return crossings[id.rank].end((*this)[id]); }
  [[nodiscard]] std::size_t num_entries() const;
  [[nodiscard]] std::size_t num_crossings() const;
  /// Pieces of all crossings; shared pieces count once for each.
  [[nodiscard]] std::uint64_t num_pieces() const;
};

}  // namespace odonata
