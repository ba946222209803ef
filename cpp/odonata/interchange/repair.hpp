// Traces that lack calls made playable: unmatched calls are left out, and counted.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "odonata/trace/block.hpp"
#include "odonata/trace/channels.hpp"

namespace odonata::interchange {

/// Calls that were made local ones, because the trace lacks their counterpart.
struct Repaired {
  std::int64_t sends = 0, receives = 0, probes = 0;
  std::int64_t collectives = 0;  // calls, not operations
  std::int64_t named = 0;        // receives from anything that got their source by order alone
  std::int64_t buffered = 0;     // sends that no longer wait for their receive
};

/// Makes a trace playable in three readings of it: `count`, `match` and `write`.
///
/// `match` plays the calls without time: a send is complete at once, a receive when its message was
/// sent, a collective when all members have come. A receive whose message is never sent, a message
/// that is never received and collectives that the members of a communicator don't call alike
/// become local calls. A receive from anything takes the first message that is there when its rank
/// waits for it; where later receives were posted for such messages meanwhile, the message gets a
/// tag of its own, so that a player finds it. Where ranks wait for each other in a circle, the
/// first waiting receive (by rank) is given up, and so on.
///
/// A synchronous send, and one of more than `always_eager` bytes, waits until its receive was
/// posted, as on a machine where it is not eager. If no rank can continue, the first such send
/// becomes a buffered one, before any receive is given up.
class Repair {
 public:
  static constexpr std::int64_t always_eager = 4096;  // [B]: on every machine that we know

  using Sink = std::function<void(trace::Block)>;

  explicit Repair(int ranks);

  void count(trace::Source& source);
  void match(trace::Source& source);
  void write(trace::Source& source, const Sink& sink);

  [[nodiscard]] const Repaired& repaired() const { return repaired_; }
  /// Calls of each rank.
  [[nodiscard]] const std::vector<std::int64_t>& calls() const { return num_calls_; }

 private:
  using Members = std::shared_ptr<const std::vector<std::uint64_t>>;
  struct Comm {  // as a rank sees it
    std::uint64_t identity = 0;
    std::int32_t place = 0;
    std::size_t size = 0;
    Members members;  // null: all ranks of the world, in order
    std::int64_t num_collectives = 0;
  };
  struct Group {  // as all see it
    std::size_t size = 0;
    std::vector<std::vector<std::uint32_t>> called;  // [place]: operations and roots
    std::int64_t kept = 0;  // of the collectives: these are called alike
    std::vector<std::uint32_t> arrived;  // members that have come to each
    std::vector<int> waiting;
  };
  struct Pending {  // a receive that was posted, or a send
    std::int64_t receive = -1;  // number of the receive at its rank
    std::optional<trace::Channels::Number> channel;
    std::int64_t message = 0;  // number in its channel
    std::uint32_t comm = 0;
    std::int32_t source = 0, tag = 0;
    std::int64_t send = -1;  // number of the send at its rank
  };
  struct Decision {
    bool dropped = false;
    std::int32_t source = trace::any, tag = trace::any;  // where the call doesn't name them
  };
  struct RankState {
    std::vector<Comm> comms;
    trace::Record record;
    bool has_record = false, begun = false, ended = false, queued = false;
    Pending own;  // of the blocking call
    std::vector<Pending> requests;
    std::vector<bool> dropped_requests;
    std::int64_t num_receives = 0, num_probes = 0, num_sends = 0;
    std::set<std::int64_t> buffered;  // sends, by number
    std::map<std::int64_t, Decision> receives, probes;  // by number; others stay as they are
  };
  enum class Step { done, blocked };

  void begin_reading();
  static void note_communicator(RankState& state, const trace::Record& record);
  void count_call(int rank, const trace::Record& record);
  void settle_collectives();
  void run(trace::Source& source, int rank);
  Step step(int rank);
  Step step_receive(RankState& state);
  Step step_requests(RankState& state);
  Step step_probe(RankState& state);
  Step step_collective(int rank);
  Pending send(RankState& state, const trace::Send& what);
  Step step_send(RankState& state);
  void took(const RankState& state, std::uint32_t comm, const trace::Channel& channel);
  static Pending& request_of(RankState& state, std::uint32_t request);
  static int world_rank(const Comm& comm, std::int32_t rank) {
    return comm.members ? static_cast<int>((*comm.members)[rank]) : rank;
  }
  Pending post(RankState& state, std::int32_t source, std::int32_t tag);
  bool arrived(RankState& state, Pending& pending);
  std::optional<trace::Channels::Number> any_channel(const RankState& state, const Pending& wanted,
                                                     bool& possible);
  void give_up(RankState& state, Pending& pending);
  bool unblock();
  bool unblock_send(RankState& state);
  bool unblock_receive(RankState& state);
  bool unblock_collective();
  void wake(int rank);

  void repair_call(RankState& state, trace::Record& record);
  bool keep_send(RankState& state, std::uint32_t comm, trace::Send& send);
  bool keep_receive(RankState& state, std::int32_t& source, std::int32_t& tag);
  void repair_exchange(RankState& state, trace::Record& record);
  void repair_probe(RankState& state, trace::Record& record);
  void repair_requests(RankState& state, trace::Record& record);
  void repair_collective(RankState& state, trace::Record& record);
  static void mark(RankState& state, std::uint32_t request, bool dropped);

  int num_ranks_;
  std::vector<RankState> ranks_;
  std::vector<std::int64_t> num_calls_;
  trace::Channels channels_;
  std::map<std::uint64_t, Group> groups_;  // by identity
  std::deque<int> queue_;
  std::int32_t next_tag_ = 1 << 30;  // of messages that get one of their own
  Repaired repaired_;
};

}  // namespace odonata::interchange
