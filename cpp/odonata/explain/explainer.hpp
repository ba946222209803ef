// The observer that explains a run: it hears the MPI layer, and asks the observer of the network
// for the ways of messages.
//
// A rank's time is work of its processor and the gaps between. A gap belongs to the message that
// ends the wait: before it was sent its sender was late, and then it was on its way. Work that the
// rank does meanwhile for other messages only divides the gap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "odonata/engine/network.hpp"
#include "odonata/event/clock.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/explain/held.hpp"
#include "odonata/explain/log.hpp"
#include "odonata/explain/way_source.hpp"
#include "odonata/mpi/observer.hpp"

namespace odonata {

class Explainer final : public MpiObserver {
 public:
  /// With `path` it keeps the log for the critical path, without it the breakdown alone.
  Explainer(const Machine& machine, const Clock& clock, bool path)
      : machine_(machine), clock_(clock), keeps_path_(path), categories_(machine) {}

  void connect(const Network& network, WaySource& ways) {
    network_ = &network;
    ways_ = &ways;
  }
  /// Jobs in the background are not explained.
  void add(std::int32_t job, std::size_t ranks, bool background) override;

  void part(std::int32_t rank, Work what, Time time) override {
    if (time > 0) states_[rank].parts.push_back({what, time});
  }
  void work(std::int32_t rank, Work what, Time begin, Time cost) override;
  void resume(std::int32_t rank) override {
    if (states_[rank].end < clock_.now) close_gap(rank, clock_.now);
    if (has_gaps(rank)) attribute(rank);
  }
  void finish(std::int32_t rank, Time now) override;
  void enter(std::int32_t rank, std::string_view function, bool collective,
             int communicator) override;
  /// Its scope changes when something happens there: often it is back in the same call before.
  void leave(std::int32_t rank) override { states_[rank].has_left = true; }
  void begin_phase(std::int32_t rank, std::int32_t phase) override;

  void launch(std::int32_t launcher, const LegOfMessage& leg) override {
    if (keeps_path_) keep_origin(launcher, leg);
    if (leg.leg != Leg::eager) handshake_of(leg.message).handed = clock_.now;
  }
  void begin_answer(std::uint32_t message, Time begin) override {
    handshakes_[message].matched = begin;
  }
  void begin_data(std::uint32_t message, Time begin) override {
    handshakes_[message].prepared = begin;
  }
  /// The message that is delivered is kept, if the rank that it has come to waits.
  void settle() override;

  void happen() override {
    release(trigger_.leg.crossing);
    trigger_.kind = Trigger::Kind::none;
    trigger_.leg.crossing = {};
  }
  void happen_step(std::int32_t rank, const LegOfMessage& leg) override;
  void happen_injected(const LegOfMessage& leg) override {
    begin_event(Trigger::Kind::injected, leg);
  }
  void happen_delivered(const LegOfMessage& leg) override;

  void prefetch(std::int32_t rank) const override { fetch(&states_[rank]); }

  /// Ends the timelines of all ranks: the run is over.
  void close();
  /// Throws InternalError unless the categories of each rank add up to its time, and all scopes to
  /// all ranks.
  void check() const;

  [[nodiscard]] const Categories& categories() const { return categories_; }
  /// Is the rank's job in the foreground?
  [[nodiscard]] bool explains(std::int32_t rank) const { return !states_[rank].background; }
  [[nodiscard]] const CauseLog& log() const { return log_; }
  /// Crossings that are held, where there is no path.
  [[nodiscard]] std::int64_t num_held() const { return held_.num_held(); }
  /// Is the log for the critical path kept?
  [[nodiscard]] bool keeps_path() const { return keeps_path_; }
  /// Time of a rank by category [ps].
  [[nodiscard]] const Time* of_rank(std::int32_t rank) const {
    return &by_rank_[static_cast<std::size_t>(rank) * categories_.count()];
  }
  [[nodiscard]] const TimeSum* of_scope(std::size_t scope) const {
    return &by_scope_[scope * categories_.count()];
  }
  /// The last message of traffic that was delivered; of several at one time, the highest rank's.
  [[nodiscard]] CrossingId last_datagram() const { return last_datagram_; }

 private:
  using ScopeNumbers = std::unordered_map<ScopeKey, std::uint32_t, ScopeHash>;

  struct Handover {  // a message, when a NIC took it
    Time handed = 0;  // [ps]
    std::int32_t launcher = -1;  // -1: none
    CrossingId parent;
  };
  struct Origin {  // of a leg, where there is a path
    CrossingId parent;
    Handover first;  // with which its NIC became busy; none: with this message
  };
  struct LegState {  // of a leg of a message
    Time handed = 0, sent = 0;  // [ps] this leg, and the first one
    Bytes bytes = 0;  // [B]
    std::int32_t from = 0, to = 0;  // ranks, of the message
    std::uint32_t carried = 0;  // slot in the network
    std::int32_t port = -1;  // from which it goes; -1: it stays in its node
    CrossingId crossing;  // if it has ended and is kept
    Leg leg = Leg::eager;
  };
  struct Trigger {
    enum class Kind : std::uint8_t { none, step, injected, delivered };
    Kind kind = Kind::none;
    std::uint32_t message = 0;
    LegState leg;
  };
  struct Handshake {  // of a rendezvous; a datagram is handed over alone
    Time handed = 0;  // [ps] its latest leg was handed over
    Time asked = 0;  // [ps] the request has arrived
    Time matched = 0;  // [ps] the receiver begins to answer
    Time answered = 0;  // [ps] the answer has arrived
    Time prepared = 0;  // [ps] the sender begins with the data
  };
  struct Gap {
    Time begin, end;  // [ps]
    CrossingId crossing;  // that ended it
  };
  struct Share {
    Work what;
    Time time;  // [ps]
  };
  struct Known {  // a scope; none: of no job
    ScopeKey key{-1, -1, -1, false, {}};
    std::uint32_t number = 0;
  };
  class Spread;
  struct State {  // of a rank
    Time end = 0;  // [ps] of the last entry
    std::uint32_t scope = 0;
    bool background = false;
    bool over = false;  // its time is no longer counted
    bool collective = false;  // in a blocking one
    bool has_left = false;  // its call, and nothing has happened since
    std::vector<Gap> gaps;  // since a coroutine last resumed
    std::vector<Share> parts;  // of its next work
    CrossingId last_datagram;  // to it
  };

  /// Adds to the times of the rank and of its scope.
  void add(std::int32_t rank, std::size_t category, Time time) {
    const State& state = states_[rank];
    if (state.over) return;
    by_rank_[static_cast<std::size_t>(rank) * categories_.count() + category] += time;
    by_scope_[state.scope * categories_.count() + category] += time;
  }
  void append(std::int32_t rank, TimelineEntry entry) {
    if (keeps_path_) log_.timelines[rank].entries.push_back(entry);
  }
  void lengthen(std::int32_t rank, std::uint8_t kind, Time time);
  void close_gap(std::int32_t rank, Time now);
  /// Something happens to the rank, which is outside of MPI if it has left.
  void leave_now(std::int32_t rank) {
    if (states_[rank].has_left) [[unlikely]]
      change_to_outside(rank);
  }
  void change_to_outside(std::int32_t rank);
  void change_call(std::int32_t rank, std::string_view function, bool collective, int communicator);
  void attribute(std::int32_t rank);
  void tell_lateness(Spread& spread, bool receives, bool collective) const;
  void tell_way(Spread& spread, CrossingId crossing) const;
  void set_scope(std::int32_t rank, const ScopeKey& key);
  std::uint32_t number_of(const ScopeKey& key);
  std::uint32_t add_scope(const ScopeKey& key);
  /// Has the rank worked since it began to wait?
  [[nodiscard]] bool has_gaps(std::int32_t rank) const { return !states_[rank].gaps.empty(); }
  [[nodiscard]] bool waits(std::int32_t rank) const {
    return states_[rank].end < clock_.now || has_gaps(rank);
  }
  [[nodiscard]] Time handed(CrossingId crossing) const {
    return keeps_path_ ? log_[crossing].handed : held_[crossing].handed;
  }
  [[nodiscard]] Leg leg(CrossingId crossing) const {
    return keeps_path_ ? log_[crossing].leg() : held_[crossing].leg;
  }
  template <class Visit>
  void for_each_piece(CrossingId crossing, Visit visit) const {
    if (keeps_path_) return log_.crossings[crossing.rank].for_each_piece(log_[crossing], visit);
    for (const Piece& piece : held_[crossing].way) visit(piece);
  }
  void begin_event(Trigger::Kind kind, const LegOfMessage& leg) {
    release(trigger_.leg.crossing);
    const bool eager = leg.leg == Leg::eager;
    trigger_ = {kind,
                leg.message,
                {eager ? leg.sent : handshakes_[leg.message].handed,
                 leg.sent,
                 leg.bytes,
                 leg.from,
                 leg.to,
                 leg.carried,
                 leg.port,
                 {},
                 leg.leg}};
  }
  [[nodiscard]] Handshake& handshake_of(std::uint32_t message);
  void keep_datagram();
  void find_last_datagram();
  void drop(CrossingId crossing);
  /// The crossing that the event ends, kept from now on.
  CrossingId crossing();
  CrossingId keep();
  /// Without a path, a crossing is kept as long as it is held.
  void hold(CrossingId crossing) {
    if (!keeps_path_) held_.hold(crossing);
  }
  void release(CrossingId crossing) {
    if (!keeps_path_) held_.release(crossing);
  }
  /// How far the message has come that the event is about.
  [[nodiscard]] Reached reached() const {
    return trigger_.kind == Trigger::Kind::injected ? Reached::network : Reached::node;
  }
  /// The rank that it has come to, or that it has left.
  [[nodiscard]] std::int32_t rank_of_end() const {
    const LegState& leg = trigger_.leg;
    const bool at_sender = trigger_.kind == Trigger::Kind::injected || leg.leg == Leg::answer;
    return at_sender ? leg.from : leg.to;
  }
  [[nodiscard]] std::span<const Piece> way_of(const LegState& leg_state, Way& inside);
  void keep_origin(std::int32_t launcher, const LegOfMessage& leg);
  [[nodiscard]] Handover first_at_nic(std::int32_t port, std::int32_t launcher,
                                      const Origin& origin);
  [[nodiscard]] std::optional<BusyPeriod> busy_period_of(const LegState& leg_state,
                                                         const Handover& first) const;

  const Machine& machine_;
  const Clock& clock_;
  const Network* network_ = nullptr;
  WaySource* ways_ = nullptr;
  bool keeps_path_;
  Categories categories_;
  CauseLog log_;
  HeldCrossings held_;
  std::vector<State> states_;  // by rank
  std::vector<CrossingId> crossings_;  // by message slot: of the latest leg, if it is kept
  std::vector<Origin> origins_;  // by slot in the network, where there is a path
  std::vector<Handshake> handshakes_;  // by message slot, unless the message is eager
  std::vector<Handover> firsts_;  // by port: the message with which it became busy
  std::vector<Time> by_rank_;
  std::vector<TimeSum> by_scope_;
  ScopeNumbers scope_numbers_;
  std::vector<ScopeKey> keys_;  // of scopes, with letters that a caller has
  std::array<std::array<Known, 2>, 128> known_;  // scopes, by the place of the key
  Trigger trigger_;
  CrossingId last_datagram_;  // of all ranks, when the run is over
};

}  // namespace odonata
