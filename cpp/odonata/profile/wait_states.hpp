// Time that ranks wait for others, apart from the rest of their time in MPI: wait states as
// Scalasca defines them, from the calls of a trace with the times at which they began and ended.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "odonata/trace/block.hpp"
#include "odonata/trace/channels.hpp"

namespace odonata::profile {

/// Reasons to wait.
enum class WaitState : std::uint8_t {
  late_sender,     // a receive that is waited for, until its send begins
  late_receiver,   // a send that is waited for, until its receive is posted
  late_broadcast,  // bcast, scatter: until the root begins
  early_reduce,    // reduce, gather: the root, until the first other rank begins
  early_scan,      // scan, exscan: until the last of the lower ranks begins
  wait_at_barrier,
  wait_at_nxn,  // collectives that need all: until the last rank begins
};
inline constexpr std::size_t num_wait_states = 7;
inline constexpr std::array<std::string_view, num_wait_states> wait_state_names = {
    "late_sender", "late_receiver",   "late_broadcast", "early_reduce",
    "early_scan",  "wait_at_barrier", "wait_at_nxn"};

/// Finds them. Calls come as they do in a trace: in order by rank. A call that waits for several
/// things counts with the longest of its waits.
class WaitStates {
 public:
  struct Sum {
    std::int64_t time = 0;  // [ns]
    std::int64_t calls = 0;
  };
  struct Key {
    std::uint32_t function = 0;
    std::int32_t rank = 0;
    WaitState wait{};
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return (std::size_t{key.function} << 40U) ^ (static_cast<std::size_t>(key.rank) << 4U) ^
             static_cast<std::size_t>(key.wait);
    }
  };
  using Sums = std::unordered_map<Key, Sum, KeyHash>;

  /// `matches`: sources of receives from any source, of the whole trace.
  WaitStates(int ranks, std::vector<trace::Match> matches);
  ~WaitStates();
  WaitStates(const WaitStates&) = delete;
  WaitStates& operator=(const WaitStates&) = delete;

  /// A call and its times [ns].
  void called(int rank, const trace::Call& call, std::span<const std::uint64_t> words,
              trace::Found found, std::span<const trace::Outcome> outcomes, std::int64_t begin,
              std::int64_t end);

  [[nodiscard]] int num_ranks() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] const Sums& sums() const { return sums_; }
  /// Messages with both sides, and messages that were received before they were sent, which show
  /// that clocks differ.
  [[nodiscard]] std::int64_t num_messages() const { return num_messages_; }
  [[nodiscard]] std::int64_t num_reversed() const { return num_reversed_; }

 private:
  static constexpr std::uint32_t none = ~0U;

  // A call that waits: counted when all that it waits for is known.
  struct Call {
    std::uint32_t function = 0;
    std::int32_t rank = 0;
    std::int64_t begin = 0, end = 0;
    int missing = 0;
    WaitState wait{};
    std::int64_t longest = 0;
  };
  // One side of a message.
  struct Half {
    bool sends = false;
    bool linked = false;    // the other side has come
    bool released = false;  // its rank has no more to say
    std::int32_t tag = 0;
    std::int64_t time = 0;      // [ns] at which it began
    std::int64_t other = 0;     // [ns] at which the other side began
    std::uint32_t waiting = 0;  // the call that waits for it, plus 1
    std::uint32_t next = none;  // in the queue
  };
  // A collective of a communicator.
  struct Meeting {
    struct Member {
      std::int64_t begin = 0;
      std::int64_t until = 0;  // [ns] it has to wait, known when all members have come
      std::uint32_t position = 0;
      std::uint32_t waiting = 0;  // the call that waits for it, plus 1
    };
    trace::Collective operation{};
    std::int32_t root = trace::nobody;
    std::uint32_t size = 0;
    std::uint32_t released = 0;  // members whose ranks have no more to say
    std::vector<Member> members;
  };
  struct RankState;
  struct List {
    std::uint32_t first = none, last = none;
  };
  struct Queue {
    List sends, receives;  // halves without the other
  };
  struct MeetingKey {
    std::uint64_t communicator = 0, number = 0;
    bool operator==(const MeetingKey&) const = default;
  };
  struct MeetingHash {
    std::size_t operator()(const MeetingKey& key) const {
      return key.communicator ^ (key.number * 0x9E3779B97F4A7C15U);
    }
  };

  // Purpose of a request of a rank.
  struct Request {
    enum class What : std::uint8_t { nothing, message, meeting } what{};
    std::uint32_t at = 0;  // of halves, or of the meeting's members
    MeetingKey meeting;
  };

  std::uint32_t new_call(const trace::Call& call, int rank, std::int64_t begin, std::int64_t end);
  void settle(std::uint32_t call);
  void propose(Call& call, WaitState wait, std::int64_t time) const;

  Request new_half(const trace::ChannelKey& key, bool sends, std::int32_t tag, std::int64_t begin);
  void link(std::uint32_t send, std::uint32_t receive);
  void append(List& list, std::uint32_t half);
  std::uint32_t take(List& list, std::int32_t tag);
  void judge(Half& half);
  void drop_if_over(std::uint32_t half);
  Request post_send(RankState& state, std::uint32_t comm, std::int32_t to, std::int32_t tag,
                    std::int64_t begin);
  Request post_receive(RankState& state, std::uint32_t comm, std::int32_t source, std::int32_t tag,
                       std::span<const trace::Outcome> outcomes, std::int64_t begin);
  Request post_irecv(RankState& state, const trace::Call& call, std::int64_t begin);

  Request meet(RankState& state, const trace::Call& call, std::int64_t begin);
  void judge(const Meeting& meeting, Meeting::Member& member);

  // `call` is the call that waits for it; none if it was complete anyway.
  void release(const Request& request, std::uint32_t call);
  void complete(RankState& state, const trace::Call& call, std::span<const std::uint64_t> words,
                std::span<const trace::Outcome> outcomes, std::uint32_t waiting);

  std::vector<std::unique_ptr<RankState>> ranks_;
  std::vector<trace::Match> matches_;  // by rank and call
  std::vector<Call> calls_;
  std::vector<std::uint32_t> free_calls_;
  std::vector<Half> halves_;
  std::vector<std::uint32_t> free_halves_;
  std::unordered_map<trace::ChannelKey, Queue, trace::ChannelHash> queues_;
  std::unordered_map<MeetingKey, Meeting, MeetingHash> meetings_;
  std::vector<std::vector<Meeting::Member>> free_members_;  // with the memory that they have
  Sums sums_;
  std::int64_t num_messages_ = 0, num_reversed_ = 0;
};

}  // namespace odonata::profile
