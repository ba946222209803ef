#include "odonata/mpi/coroutines.hpp"

#include "odonata/mpi/requests.hpp"

namespace odonata {

void Coroutines::resume_at(CoroutineId coroutine, Time time, std::coroutine_handle<> waiting) {
  suspend(coroutine, waiting);
  ranks_.note_pause(coroutine < 0 ? beside(coroutine).rank : coroutine, time);
  if (coroutine < 0) [[unlikely]]
    ++ranks_[beside(coroutine).rank].sleeping;
  clock_.at(time, Kind::resume, entity_of(coroutine));
}

// A program is number 0 of its rank and kept under the rank's number.
std::uint64_t Coroutines::entity_of(CoroutineId coroutine) const {
  const Identities& identities = ranks_.identities();
  if (coroutine >= 0) return identities.entity(coroutine, 0, static_cast<std::uint32_t>(coroutine));
  const Beside& state = besides_[-coroutine];
  return identities.entity(state.rank, state.number, static_cast<std::uint32_t>(-coroutine));
}

void Coroutines::resume(std::uint64_t key) {
  const auto slot = static_cast<std::int32_t>(slot_of(key));
  if (ranks_.identities().number_of(key) == 0) [[likely]]
    return resume_rank(slot);
  --ranks_[beside(-slot).rank].sleeping;
  resume_beside(-slot);
}

void Coroutines::resume_rank(std::int32_t rank) {
  const auto waiting = std::exchange(ranks_[rank].waiting, nullptr);
  ranks_.note_resume(rank);
  if (waiting)
    waiting.resume();
  else
    ranks_[rank].program.start();
  rethrow();
}

CoroutineId Coroutines::open(std::int32_t rank) {
  const CoroutineId coroutine = -besides_.add();
  beside(coroutine).rank = rank;
  ranks_[rank].has_beside = 1;
  beside(coroutine).number = ranks_.identities().next(ranks_[rank].coroutines);
  return coroutine;
}

Request Coroutines::run(CoroutineId coroutine, Task task) {
  const Request request = requests_.open();
  beside(coroutine).request = request;
  beside(coroutine).task = std::move(task);
  beside(coroutine).waiting = beside(coroutine).task.handle();
  resume_beside(coroutine);
  return request;
}

// Other coroutines may begin or end meanwhile, so their states may move.
void Coroutines::resume_beside(CoroutineId coroutine) {
  ranks_.note_resume(beside(coroutine).rank);
  std::exchange(beside(coroutine).waiting, nullptr).resume();
  if (beside(coroutine).task.done()) end(coroutine);
  rethrow();
}

void Coroutines::end(CoroutineId coroutine) {
  const Beside ended = std::exchange(beside(coroutine), Beside{});
  besides_.remove(-coroutine);
  ended.task.rethrow();
  requests_.complete(ended.request.id);
}

void Coroutines::fulfil_beside(CoroutineId coroutine) {
  if (--beside(coroutine).pending == 0) resume_beside(coroutine);
}

}  // namespace odonata
