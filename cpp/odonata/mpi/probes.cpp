// Messages that have come and whose receives have not: looking at them, and taking them.
#include <utility>

#include "odonata/mpi/world.hpp"

namespace odonata {

std::optional<Status> World::probe(std::int32_t rank, const Envelope& wanted) const {
  const auto message = ranks_[static_cast<std::size_t>(rank)].mailbox.probe(wanted);
  if (!message) return std::nullopt;
  return status_of(messages_[*message]);
}

std::optional<Taken> World::take(std::int32_t rank, const Envelope& wanted) {
  const auto message = rank_at(rank).mailbox.take(wanted);
  if (!message) return std::nullopt;
  return Taken{*message, status_of(messages_[*message])};
}

Request World::irecv(std::int32_t /*rank*/, const Taken& taken, const Span& into) {
  const Request request{new_request()};
  requests_[request.id].into = into;
  match(taken.message, request.id, true);
  return request;
}

bool World::cancel(std::int32_t rank, Request receive) {
  if (done(receive) || !rank_at(rank).mailbox.withdraw(receive.id)) return false;
  requests_[receive.id].status.cancelled = true;
  complete(receive.id);
  return true;
}

void World::suspend_until(std::int32_t rank, const Envelope& wanted,
                          std::coroutine_handle<> waiting) {
  rank_at(rank).probed = wanted;
  rank_at(rank).probing = 1;
  suspend(rank, waiting);
}

void World::tell_prober(std::int32_t rank, const Envelope& envelope) {
  if (!rank_at(rank).probed.takes(envelope)) return;
  rank_at(rank).probing = 0;
  resume_rank(rank);
}

}  // namespace odonata
