#include "odonata/mpi/strands.hpp"

#include "odonata/mpi/requests.hpp"

namespace odonata {

void Strands::resume_at(Strand strand, Time time, std::coroutine_handle<> waiting) {
  suspend(strand, waiting);
  ranks_.note_pause(strand < 0 ? beside(strand).rank : strand, time);
  if (strand < 0) [[unlikely]]
    ++ranks_[beside(strand).rank].sleeping;
  clock_.at(time, Kind::resume, entity_of(strand));
}

// A program is number 0 of its rank and kept under the rank's number.
std::uint64_t Strands::entity_of(Strand strand) const {
  const Identities& identities = ranks_.identities();
  if (strand >= 0) return identities.entity(strand, 0, static_cast<std::uint32_t>(strand));
  const Beside& state = besides_[-strand];
  return identities.entity(state.rank, state.number, static_cast<std::uint32_t>(-strand));
}

void Strands::resume(std::uint64_t key) {
  const auto slot = static_cast<std::int32_t>(slot_of(key));
  if (ranks_.identities().number_of(key) == 0) [[likely]]
    return resume_rank(slot);
  --ranks_[beside(-slot).rank].sleeping;
  resume_beside(-slot);
}

void Strands::resume_rank(std::int32_t rank) {
  const auto waiting = std::exchange(ranks_[rank].waiting, nullptr);
  ranks_.note_resume(rank);
  if (waiting)
    waiting.resume();
  else
    ranks_[rank].program.start();
  rethrow();
}

Strand Strands::open(std::int32_t rank) {
  const Strand strand = -besides_.add();
  beside(strand).rank = rank;
  ranks_[rank].has_beside = 1;
  beside(strand).number = ranks_.identities().next(ranks_[rank].strands);
  return strand;
}

Request Strands::run(Strand strand, Task task) {
  const Request request = requests_.open();
  beside(strand).request = request;
  beside(strand).task = std::move(task);
  beside(strand).waiting = beside(strand).task.handle();
  resume_beside(strand);
  return request;
}

// Other strands may begin or end meanwhile, so their states may move.
void Strands::resume_beside(Strand strand) {
  ranks_.note_resume(beside(strand).rank);
  std::exchange(beside(strand).waiting, nullptr).resume();
  if (beside(strand).task.done()) end(strand);
  rethrow();
}

void Strands::end(Strand strand) {
  const Beside ended = std::exchange(beside(strand), Beside{});
  besides_.remove(-strand);
  ended.task.rethrow();
  requests_.complete(ended.request.id);
}

void Strands::fulfil_beside(Strand strand) {
  if (--beside(strand).pending == 0) resume_beside(strand);
}

}  // namespace odonata
