// The recorder of a run that shall be explained. The MPI layer tells it what ranks do; whoever does
// not want an explanation has none, and pays for a test of a pointer.
//
// A rank's time is work of its processor and the gaps between. A gap belongs to the message that
// ends the wait: before it was sent its sender was late, and then it was on its way. Work that the
// rank does meanwhile for other messages only divides the gap.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "odonata/engine/network.hpp"
#include "odonata/event/clock.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/event/table.hpp"
#include "odonata/explain/acts.hpp"
#include "odonata/explain/additions.hpp"
#include "odonata/explain/held.hpp"
#include "odonata/explain/log.hpp"

namespace odonata {

/// A leg of a message, as the recorder is told of it.
struct LegOfMessage {
  std::uint32_t message;  // slot
  Leg leg;
  std::int32_t from, to;  // ranks, of the message
  std::int32_t node;  // from which it goes; -1: it stays in its node
  Bytes bytes;  // [B]
  Time sent;  // [ps] the first leg was handed over
};

class Recorder {
 public:
  /// With `path` it keeps what the critical path needs, without it the breakdown alone; with `acts`
  /// what programs do.
  Recorder(const Machine& machine, const Clock& clock, bool path, bool acts = false)
      : machine_(machine),
        clock_(clock),
        keeps_path_(path),
        in_parts_(path),
        categories_(machine, path),
        acts_(acts),
        stride_((categories_.count() + in_a_line - 1) / in_a_line * in_a_line),
        unheard_(stride_),
        unheard_of_scope_(stride_) {}

  void connect(Network& network) { network_ = &network; }
  /// The ranks of a job; those of jobs in the background are not explained.
  void add(std::int32_t job, std::size_t ranks, bool background);

  // ---- ranks

  /// Notes how much of the next work is of this kind.
  void part(Work what, Time time) {
    if (time > 0) [[unlikely]]
      add_part(what, time);
  }
  /// A rank's processor works for `cost` from `begin` on, at the work that its caller names and the
  /// parts that were told before.
  void work(std::int32_t rank, Work what, Time begin, Time cost) {
    State& state = states_[rank];
    if (in_parts_ || state.end != begin) return work_in_parts(rank, what, begin, cost);
    const Usual usual = Categories::usual_of(what);
    if (usual != Usual::none) [[likely]]
      return pass(state, begin + cost, usual);
    leave_now(rank);
    state.end = begin + cost;
    add(state, Categories::of(what), cost);
  }
  /// A strand of the rank goes on.
  void resume(std::int32_t rank) {
    State& state = states_[rank];
    if (state.end < clock_.now) {
      if (keeps_path_ || trigger_.kind != Trigger::Kind::none)
        close_gap(rank, clock_.now);
      else
        pass(state, clock_.now, Usual::pausing);
    }
    if (state.num_gaps > 0) attribute(rank);
  }
  void finish(std::int32_t rank, Time now);
  void enter(std::int32_t rank, std::string_view function, bool collective, int communicator) {
    State& state = states_[rank];
    if (has_left(state)) state.due = -state.due;  // and nothing has happened since
    if (!keys_[state.scope].is_call(function, collective, communicator))
      change_call(rank, function, collective, communicator);
  }
  /// The rank is outside of MPI. Its scope changes when something happens there: often it is back
  /// in the same call before.
  void leave(std::int32_t rank) {
    State& state = states_[rank];
    if (!has_left(state)) state.due = -state.due;
  }
  void begin_phase(std::int32_t rank, std::int32_t phase);

  /// Acts of programs.
  [[nodiscard]] Acts& acts() { return acts_; }
  [[nodiscard]] const Acts& acts() const { return acts_; }

  // ---- messages

  /// Where there is a path: a leg is handed over by a rank.
  void launch(std::int32_t launcher, const LegOfMessage& leg) {
    keep_origin(launcher, leg);
    if (leg.leg != Leg::eager && leg.leg != Leg::datagram) hand_over(leg.message);
  }
  /// A leg of a message that asks first is handed over.
  void hand_over(std::uint32_t message) {
    if (shakes_.size() <= message) [[unlikely]]
      make_room_for_shake(message);
    shakes_[message].handed = clock_.now;
  }
  /// A rank begins to pay for its part of a rendezvous, the receiver first.
  void begin_answer(std::uint32_t message, Time begin) { shakes_[message].matched = begin; }
  void begin_data(std::uint32_t message, Time begin) { shakes_[message].prepared = begin; }

  // ---- the event that happens: the cause of what ranks do in it

  void happen() {
    release(trigger_.crossing.transit);
    trigger_.kind = Trigger::Kind::none;
    trigger_.crossing.transit = Transit::none;
  }
  /// May an event that changes nothing but this rank end a wait, so that it must be known?
  [[nodiscard]] bool asks(std::int32_t rank) const { return keeps_path_ || waits(rank); }
  /// May it end one in whose gaps the rank has worked?
  [[nodiscard]] bool has_gaps(std::int32_t rank) const { return states_[rank].num_gaps > 0; }
  /// A processor has worked for a message that has been sent, and whose latest leg this is.
  void happen_step(const LegOfMessage& leg);
  void happen_injected(const LegOfMessage& leg) { begin_event(Trigger::Kind::injected, leg); }
  void happen_delivered(const LegOfMessage& leg) {
    begin_event(Trigger::Kind::delivered, leg);
    if (leg.leg == Leg::datagram) [[unlikely]]
      keep_datagram();
  }
  /// A leg of a message has arrived, whoever waits for it.
  void arrive(std::uint32_t message, Leg leg) {
    if (message < transits_.size()) release(std::exchange(transits_[message], Transit::none));
    if (leg == Leg::request) shakes_[message].asked = clock_.now;
    if (leg == Leg::answer) shakes_[message].answered = clock_.now;
  }
  /// The message that is delivered is kept, if the rank that it has come to waits.
  void keep_delivered() {
    const Crossing& crossing = trigger_.crossing;
    if (trigger_.kind != Trigger::Kind::delivered || crossing.leg == Leg::datagram) return;
    if (waits(crossing.leg == Leg::answer ? crossing.from : crossing.to)) transit();
  }
  /// Where there is no path, an eager message that is delivered may take the wait of a rank that
  /// waits for nothing else, and the event has no other effect: so if all of the wait is still to
  /// be told. Its way is null inside a node.
  [[nodiscard]] bool gives_wait(std::int32_t rank) const {
    const State& state = states_[rank];
    return !keeps_path_ && state.end < clock_.now && state.num_gaps == 0 &&
           trigger_.crossing.transit == Transit::none;
  }
  void take_wait(std::int32_t rank, Time sent, const Undelayed& way);
  void take_wait(std::int32_t rank, Time sent, const WayTimes* way);

  /// Fetches what is kept of a rank into the cache.
  void prefetch(std::int32_t rank) const { fetch(&states_[rank]); }
  /// Ends the lines of all ranks: the run is over.
  void close();
  /// Throws InternalError unless the categories of each rank add up to its time, and those of all
  /// scopes to those of all ranks.
  void check() const;

  [[nodiscard]] const Categories& categories() const { return categories_; }
  /// Is the rank's job in the foreground?
  [[nodiscard]] bool explains(std::int32_t rank) const { return !states_[rank].background; }
  [[nodiscard]] const CauseLog& log() const { return log_; }
  /// Crossings that are held, where there is no path.
  [[nodiscard]] std::int64_t num_held() const { return held_.num_held(); }
  /// Is there what the critical path needs?
  [[nodiscard]] bool keeps_path() const { return keeps_path_; }
  /// Time of a rank by category [ps].
  [[nodiscard]] const Time* of_rank(std::int32_t rank) const {
    return &by_rank_[static_cast<std::size_t>(rank) * stride_];
  }
  [[nodiscard]] const TimeSum* of_scope(std::size_t scope) const {
    return &by_scope_[scope * stride_];
  }
  /// The last message of traffic that was delivered; `Transit::none` if there is none.
  [[nodiscard]] std::uint32_t last_datagram() const { return last_datagram_; }

 private:
  static constexpr std::size_t in_a_line = 64 / sizeof(Time);
  using ScopeNumbers = std::unordered_map<ScopeKey, std::uint32_t, ScopeHash>;

  struct Hand {  // a message, when a NIC took it
    Time handed = 0;  // [ps]
    std::int32_t launcher = -1;  // -1: none
    std::uint32_t parent = Transit::none;
  };
  struct Origin {  // of a leg, where there is a path
    std::uint32_t parent = Transit::none;
    Hand first;  // with which its NIC became busy; none: with this message
  };
  struct Crossing {  // of a leg of a message
    Time handed = 0, sent = 0;  // [ps] this leg, and the first one
    Bytes bytes = 0;  // [B]
    std::int32_t from = 0, to = 0;  // ranks, of the message
    std::int32_t node = -1;  // from which it goes; -1: it stays in its node
    std::uint32_t transit = Transit::none;  // if it has ended and is kept
    Leg leg = Leg::eager;
  };
  struct Trigger {
    enum class Kind : std::uint8_t { none, step, injected, delivered };
    Kind kind = Kind::none;
    std::uint32_t message = 0;
    Crossing crossing;
  };
  struct alignas(64) Shake {  // of a message that asks first
    Time handed = 0;  // [ps] its latest leg was handed over
    Time asked = 0;  // [ps] the request has arrived
    Time matched = 0;  // [ps] the receiver begins to answer
    Time answered = 0;  // [ps] the answer has arrived
    Time prepared = 0;  // [ps] the sender begins with the data
  };
  struct Gap {
    Time begin, end;  // [ps]
    std::uint32_t transit;
  };
  struct Share {
    Work what;
    Time time;  // [ps]
  };
  struct Known {  // a scope; none: of no job
    ScopeKey key{-1, -1, -1, false, {}};
    std::uint32_t number = 0;
  };
  class Wait;
  class Spread;
  static constexpr Time longest = std::numeric_limits<std::uint32_t>::max();
  struct alignas(64) State {  // of a rank, in a line of the cache
    Time end = 0;  // [ps] of the last entry
    Time due = longest;  // [ps] until then the usual times have room; below 0: the rank has left
    std::uint32_t scope = 0;
    std::uint32_t num_gaps = 0;
    bool background = false;
    bool over = false;  // its time is no longer counted
    bool collective = false;  // in a blocking one
    std::array<std::uint32_t, num_usual> usual{};  // [ps] that are still to be counted

    void add(Usual which, Time time) {
      usual[static_cast<std::size_t>(which)] += static_cast<std::uint32_t>(time);
    }
  };
  static_assert(sizeof(State) == 64);
  struct Sums {  // of times by category [ps]
    Time* of_rank;
    TimeSum* of_scope;
  };
  struct OpenEntry {  // of a rank's line, where there is a path
    LineEntry entry{LineEntry::scope, LineEntry::nothing};  // the last, which may be lengthened
    std::uint32_t last = LineEntries::none;  // the one before
  };

  /// Adds to the times of the rank, which are many, and to those of its scope, which are few.
  void add(const State& state, std::size_t category, Time time) {
    add(sums_of(state), category, time);
  }
  void add(const Sums& sums, std::size_t category, Time time) {
    additions_.add(sums.of_rank[category], time);
    sums.of_scope[category] += time;
  }
  [[nodiscard]] Sums sums_of(const State& state) {
    if (state.over) [[unlikely]]
      return {unheard_.data(), unheard_of_scope_.data()};
    return {&by_rank_[static_cast<std::size_t>(rank_of(state)) * stride_],
            &by_scope_[state.scope * stride_]};
  }
  [[nodiscard]] std::int32_t rank_of(const State& state) const {
    return static_cast<std::int32_t>(&state - states_.data());
  }
  void add_part(Work what, Time time);
  void append(std::int32_t rank, LineEntry entry);
  void lengthen(std::int32_t rank, std::uint8_t kind, Time time);
  void close_gap(std::int32_t rank, Time now);
  void add_gap(std::int32_t rank, const Gap& gap);
  /// The rank's time goes on up to `end`, of a usual kind.
  void pass(State& state, Time end, Usual which) {
    const Time time = end - std::exchange(state.end, end);
    if (end > state.due) [[unlikely]]
      return pass_long(state, which, time);
    state.add(which, time);
  }
  void pass_long(State& state, Usual which, Time time);
  [[nodiscard]] static bool has_left(const State& state) { return state.due < 0; }
  /// Something happens to the rank, which is outside of MPI if it has left.
  void leave_now(std::int32_t rank) {
    if (has_left(states_[rank])) [[unlikely]]
      change_to_outside(rank);
  }
  void change_to_outside(std::int32_t rank);
  void change_call(std::int32_t rank, std::string_view function, bool collective, int communicator);
  void count_usual(State& state);
  void work_in_parts(std::int32_t rank, Work what, Time begin, Time cost);
  void attribute(std::int32_t rank);
  void release_gaps(std::int32_t rank);
  void tell_lateness(Spread& spread, bool receives, bool collective) const;
  template <class Way>
  void take_any_wait(std::int32_t rank, Time sent, const Way& way);
  template <class Way>
  void take_long_wait(std::int32_t rank, const Gap& gap, Time sent, const Way& way);
  template <class Gaps>
  void tell(Gaps& gaps, Time sent, const Undelayed& way) const;
  template <class Gaps>
  void tell(Gaps& gaps, Time sent, const WayTimes* way) const;
  template <class Gaps>
  void tell_times(Gaps& gaps, const WayTimes& way) const;
  template <class Gaps>
  void tell_queue(Gaps& gaps, const WayTimes& way) const;
  template <class Gaps>
  void tell_crossing(Gaps& gaps, const WayTimes& way) const;
  void tell_way(Spread& spread, std::uint32_t transit) const;
  void set_scope(std::int32_t rank, const ScopeKey& key);
  std::uint32_t number_of(const ScopeKey& key);
  std::uint32_t add_scope(const ScopeKey& key);
  [[nodiscard]] bool waits(std::int32_t rank) const {
    return states_[rank].end < clock_.now || states_[rank].num_gaps > 0;
  }
  [[nodiscard]] Time handed(std::uint32_t transit) const {
    return keeps_path_ ? log_.transits[transit].handed : held_[transit].handed;
  }
  void begin_event(Trigger::Kind kind, const LegOfMessage& leg) {
    release(trigger_.crossing.transit);
    const bool first = leg.leg == Leg::eager || leg.leg == Leg::datagram;
    trigger_ = {kind,
                leg.message,
                {first ? leg.sent : shakes_[leg.message].handed, leg.sent, leg.bytes, leg.from,
                 leg.to, leg.node, Transit::none, leg.leg}};
  }
  void make_room_for_shake(std::uint32_t message);
  void keep_datagram();
  /// The transit that the event ends, kept from now on.
  std::uint32_t transit();
  std::uint32_t keep();
  /// Where there is no path, a transit is kept as long as somebody holds it.
  void hold(std::uint32_t transit) {
    if (!keeps_path_) held_.hold(transit);
  }
  void release(std::uint32_t transit) {
    if (!keeps_path_) held_.release(transit);
  }
  /// How far the message has come that the event is about.
  [[nodiscard]] Reached reached() const {
    return trigger_.kind == Trigger::Kind::injected ? Reached::network : Reached::node;
  }
  [[nodiscard]] std::span<const Piece> way_of(const Crossing& crossing);
  std::uint32_t hold_new();
  void keep_origin(std::int32_t launcher, const LegOfMessage& leg);
  [[nodiscard]] Hand first_at_nic(std::int32_t node, std::int32_t launcher, const Origin& origin);
  [[nodiscard]] std::optional<Turn> turn_of(const Crossing& crossing, const Hand& first) const;

  const Machine& machine_;
  const Clock& clock_;
  Network* network_ = nullptr;
  bool keeps_path_;
  bool in_parts_;  // has the next work parts, or is each kept?
  Categories categories_;
  CauseLog log_;
  HeldTransits held_;
  Acts acts_;
  Way way_;  // in its node, of the transit that is being kept
  Table<State> states_;  // by rank
  std::vector<OpenEntry> open_;  // by rank
  std::vector<Gap> gaps_;  // by rank: the first that no strand has gone on after,
  std::vector<std::vector<Gap>> more_gaps_;  // and those after it
  std::vector<std::uint32_t> transits_;  // by message slot: of the latest leg, if it is kept
  std::vector<Origin> origins_;  // by message slot, where there is a path
  Table<Shake> shakes_;  // by message slot, as far as they ask first
  std::vector<Hand> firsts_;  // by node: the message with which its NIC became busy
  std::size_t stride_;  // from a rank's or scope's times to the next: whole lines of the cache
  Table<Time> by_rank_;
  Table<TimeSum> by_scope_;
  Additions additions_;  // to the times of ranks
  std::vector<Time> unheard_;  // of ranks whose time is no longer counted
  std::vector<TimeSum> unheard_of_scope_;
  ScopeNumbers scope_numbers_;
  std::vector<ScopeKey> keys_;  // of scopes, with letters that a caller has
  std::array<std::array<Known, 2>, 128> known_;  // scopes, by the place of the key
  std::array<Share, 6> parts_{};
  std::size_t num_parts_ = 0;
  Trigger trigger_;
  std::uint32_t last_datagram_ = Transit::none;
};

}  // namespace odonata
