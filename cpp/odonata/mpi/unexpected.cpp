// Messages that have come before their receives, and expected events of a rank.
#include <utility>

#include "odonata/mpi/acts.hpp"
#include "odonata/mpi/transport.hpp"

namespace odonata {

std::optional<Status> Transport::iprobe(std::int32_t rank, const Envelope& wanted) const {
  const auto message = ranks_[rank].mailbox.probe(wanted);
  if (!message) return std::nullopt;
  return status_of(messages_[*message]);
}

std::optional<MatchedMessage> Transport::improbe(std::int32_t rank, const Envelope& wanted) {
  const Found message = ranks_[rank].mailbox.take(wanted);
  if (!message) return std::nullopt;
  return MatchedMessage{*message, status_of(messages_[*message])};
}

Request Transport::irecv(const MatchedMessage& matched, const Span& into) {
  const Request request = requests_.open();
  requests_[request.id].into = into;
  if (ranks_.acts() != nullptr) [[unlikely]]
    note_receive(messages_[matched.message].to, messages_[matched.message].envelope, request);
  match(matched.message, request.id, true, 0);
  return request;
}

bool Transport::cancel(std::int32_t rank, Request receive) {
  if (requests_.done(receive) || !ranks_[rank].mailbox.withdraw(receive.id)) return false;
  requests_[receive.id].status.cancelled = true;
  if (Acts* acts = ranks_.acts()) [[unlikely]] {
    acts->withdraw(requests_[receive.id].act);
    requests_[receive.id].act = {};
  }
  requests_.complete(receive.id);
  return true;
}

void Transport::suspend_until(std::int32_t rank, const Envelope& wanted,
                              std::coroutine_handle<> waiting) {
  ranks_[rank].probed = wanted;
  ranks_[rank].probing = 1;
  coroutines_.suspend(rank, waiting);
}

void Transport::tell_prober(std::int32_t rank, const Envelope& envelope) {
  if (!ranks_[rank].probed.takes(envelope)) return;
  ranks_[rank].probing = 0;
  coroutines_.resume_rank(rank);
}

// ---- expected events

void Transport::begin_lookahead() {
  if (lookahead_) return;
  lookahead_ =
      std::make_unique<Lookahead>(machine_, options_, ranks_, network_->least_time(), jobs_);
  messages_.for_each([this](std::uint32_t id, const MessageState& message) {
    lookahead_->expect_under_way(id, message, clock_.now);
  });
}

Time Transport::quiet_until(std::int32_t rank) {
  if (!lookahead_ || ranks_.busy(rank) || coroutines_.sleeps_beside(rank)) return 0;
  return lookahead_->earliest(rank, clock_.queue.next_time());
}

Time Transport::quiet_beyond(std::int32_t rank, Time end) {
  if (!lookahead_ || ranks_[rank].cpu_free != end || coroutines_.sleeps_beside(rank)) return 0;
  const Time quiet = lookahead_->earliest(rank, clock_.now);
  return quiet > end ? quiet : 0;
}

}  // namespace odonata
