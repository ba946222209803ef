// Messages from their sends to their receives, over one network.
//
//     short       send overhead | data -> match -> receive overhead
//     eager       send and eager overhead | data -> match -> receive and eager overhead
//     rendezvous  send overhead | request -> match -> receive and rendezvous overhead | answer ->
//                 rendezvous overhead | data ->
//
// Messages of a pair of ranks are matched in the order in which they were sent.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "odonata/engine/network.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/mpi/acts.hpp"
#include "odonata/mpi/job.hpp"
#include "odonata/mpi/lookahead.hpp"
#include "odonata/mpi/message_state.hpp"
#include "odonata/mpi/node_memory.hpp"
#include "odonata/mpi/parts.hpp"
#include "odonata/mpi/ranks.hpp"
#include "odonata/mpi/requests.hpp"

namespace odonata {

class Transport final : public Receiver {
 public:
  Transport(const Machine& machine, const MpiOptions& options, Clock& clock, Ranks& ranks,
            Requests& requests, Coroutines& coroutines, std::vector<Job>& jobs)
      : machine_(machine),
        options_(options),
        clock_(clock),
        ranks_(ranks),
        requests_(requests),
        coroutines_(coroutines),
        jobs_(jobs),
        node_memory_(machine),
        parts_(machine.ports) {}

  void connect(Network& network) { network_ = &network; }

  Request isend(std::int32_t rank, const Address& address, const Span& from, Sending how);
  Request irecv(std::int32_t rank, const Envelope& wanted, const Span& into);
  /// Receives a message that was matched.
  Request irecv(const MatchedMessage& matched, const Span& into);
  /// Takes back a receive; false if it has been matched. It is complete then.
  bool cancel(std::int32_t rank, Request receive);
  /// The unexpected message that such a receive would take.
  [[nodiscard]] std::optional<Status> iprobe(std::int32_t rank, const Envelope& wanted) const;
  /// Takes that message out of matching.
  std::optional<MatchedMessage> improbe(std::int32_t rank, const Envelope& wanted);
  /// Resumes when such a message has come. Only for main coroutines.
  void suspend_until(std::int32_t rank, const Envelope& wanted, std::coroutine_handle<> waiting);
  /// Hands a message without a receive to the network: synthetic traffic. It was due at `due`, or
  /// is now, and is the last of its rank if `last`.
  void send_datagram(std::int32_t rank, std::int32_t to, Bytes bytes, Time due, bool last);
  /// How many such messages of a rank are under way.
  [[nodiscard]] std::uint32_t num_datagrams(std::int32_t rank) const {
    return ranks_[rank].datagrams;
  }
  /// Resumes when one of them has been delivered.
  void suspend_until_room(std::int32_t rank, std::coroutine_handle<> waiting) {
    ranks_[rank].waits_for_room = 1;
    coroutines_.suspend(rank, waiting);
  }

  /// An event of kind `step`: a processor has done its work on a message.
  void step(std::uint32_t message);
  /// Tells the observer that it comes, if a rank waits for it.
  void note_step(std::uint32_t message);
  void delivered(std::uint32_t message, Delivery delivery) override;
  void injected(std::uint32_t message) override;

  /// Keeps account of expected events of each rank, from now on. It costs time with every message.
  void begin_lookahead();
  /// When something may happen to a rank at the earliest [ps]: until then its requests and its
  /// queues stay as they are, and its processor works only for its program. In the past if
  /// there is no lookahead, as before begin_lookahead().
  [[nodiscard]] Time quiet_until(std::int32_t rank);
  /// The same for a rank whose program computes until `end`, while another rank may act now; 0 if
  /// something may happen before `end`.
  [[nodiscard]] Time quiet_beyond(std::int32_t rank, Time end);
  /// Changes when something has happened to a rank; 0 before begin_lookahead(), and never after it.
  [[nodiscard]] std::uint32_t touches(std::int32_t rank) const {
    return lookahead_ ? lookahead_->touches(rank) : 0;
  }

  /// A message that is under way, or waits to be received.
  [[nodiscard]] const MessageState& message(std::uint32_t id) const { return messages_[id]; }
  [[nodiscard]] Memory* memory_of(std::int32_t rank) const { return job_of(rank).spec.memory; }

 private:
  static constexpr std::uint32_t none = MessageState::none;

  void tell_prober(std::int32_t rank, const Envelope& envelope);
  [[nodiscard]] Status status_of(const MessageState& message) const;
  std::uint32_t new_message();
  void hand_over(std::uint32_t message);
  void launch(std::uint32_t message, std::int32_t from, std::int32_t to, Bytes bytes);
  void note_act_of_send(std::uint32_t message, Request request, SendMode mode);
  void note_receive(std::int32_t rank, const Envelope& wanted, Request request);
  void note_act(std::int32_t rank, Request request, const Act& act);
  void launch_parts(std::uint32_t message, std::int32_t from, std::int32_t to, Bytes bytes);
  /// A message, or its last part, has arrived or left its node: as what the network carries it.
  void arrive_whole(std::uint32_t message, std::uint32_t carried, Delivery delivery);
  void leave_whole(std::uint32_t message, std::uint32_t carried);
  void part_delivered(std::uint32_t part, const Delivery& delivery);
  void part_injected(std::uint32_t part);
  [[nodiscard]] LegOfMessage leg_of(std::uint32_t message) const {
    return leg_of(message, message);
  }
  [[nodiscard]] LegOfMessage leg_of(std::uint32_t message, std::uint32_t carried) const;
  void note_data(std::uint32_t message);
  void arrive(std::uint32_t message);
  void match(std::uint32_t message, std::uint32_t request, bool unexpected, Time search);
  /// Cost of passing so many entries of a queue [ps].
  [[nodiscard]] Time search_time(const Found& found) const {
    return static_cast<Time>(found.passed) * options_.search_per_entry;
  }
  /// A fixed cost of a message, and a cost of its bytes.
  struct Cost {
    Time once = 0, bytes = 0;  // [ps]
    [[nodiscard]] Time sum() const { return once + bytes; }
  };
  /// Cost of a match to its receiver, beyond the cost of every receive [ps].
  struct MatchCost {
    Time search, bytes, copying;
    Cost additional;
  };
  [[nodiscard]] Time overhead_of_send(std::int32_t rank, std::int32_t to) const;
  [[nodiscard]] Time overhead_of_receive(std::int32_t from, std::int32_t rank) const;
  void note_send(std::int32_t rank, Time of_bytes, const Cost& additional);
  void note_match(std::uint32_t message, Time search);
  void note_match_cost(std::int32_t rank, const MatchCost& cost, bool eager);
  /// Cost of an eager message to each of its ranks, beyond the cost of a short one.
  [[nodiscard]] Cost eager_cost(std::int32_t from, std::int32_t to, Bytes bytes) const {
    if (bytes <= options_.short_threshold) [[likely]]
      return {};
    if (same_node(from, to)) return {};
    return {options_.eager_overhead, options_.eager_per_byte.of(bytes)};
  }
  [[nodiscard]] Cost rendezvous_cost(const MessageState& message) const;
  /// The NIC has a short message at once.
  [[nodiscard]] bool is_fetched(Bytes bytes) const { return bytes > options_.short_threshold; }
  void pay_for_search(std::int32_t rank, Time cost) {
    if (cost > 0) [[unlikely]]
      ranks_.occupy(rank, cost, Work::search);
  }
  void answer(std::uint32_t message);
  void send_data(std::uint32_t message);
  void receive_data(std::uint32_t message);
  void finish(std::uint32_t message);
  void end_datagram(std::uint32_t message);
  void keep(std::uint32_t message, Payload contents);
  void count(std::uint32_t message, const Delivery& delivery);
  void after_cost(std::int32_t rank, Time cost, std::uint32_t message);
  void expect(std::uint32_t message, Time ready) {
    lookahead_->expect(message, messages_[message], ready);
  }
  [[nodiscard]] std::uint64_t pair_of(std::uint32_t message) const {
    return PairTable::pair(messages_[message].envelope.source, messages_[message].to);
  }
  [[nodiscard]] std::int32_t node_of(std::int32_t rank) const { return ranks_.home(rank).node; }
  [[nodiscard]] std::int32_t port_of(std::int32_t rank) const { return ranks_.home(rank).port; }
  [[nodiscard]] bool same_node(std::int32_t a, std::int32_t b) const {
    return node_of(a) == node_of(b);
  }
  [[nodiscard]] std::int32_t index_of(std::int32_t rank) const { return ranks_.home(rank).index; }
  [[nodiscard]] Job& job_of(std::int32_t rank) const { return jobs_[ranks_.home(rank).job]; }

  const Machine& machine_;
  const MpiOptions& options_;
  Clock& clock_;
  Ranks& ranks_;
  Requests& requests_;
  Coroutines& coroutines_;
  std::vector<Job>& jobs_;
  Network* network_ = nullptr;
  Slots<MessageState> messages_;
  std::vector<Payload> payloads_;  // by message; empty unless contents move
  PairTable pairs_;
  NodeMemory node_memory_;
  Parts parts_;
  std::unique_ptr<Lookahead> lookahead_;
};

}  // namespace odonata
