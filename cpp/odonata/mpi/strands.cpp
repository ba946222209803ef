// Strands beside a rank's program.
#include <utility>

#include "odonata/mpi/world.hpp"

namespace odonata {

Strand World::open_strand(std::int32_t rank) {
  std::size_t slot = strands_.size();
  if (free_strands_.empty()) {
    strands_.emplace_back();
  } else {
    slot = free_strands_.back();
    free_strands_.pop_back();
  }
  const auto strand = -static_cast<Strand>(slot);
  strand_at(strand).rank = rank;
  return strand;
}

Request World::run(Strand strand, Task task) {
  const Request request{new_request()};
  strand_at(strand).request = request;
  strand_at(strand).task = std::move(task);
  strand_at(strand).waiting = strand_at(strand).task.handle();
  resume_strand(strand);
  return request;
}

// Other strands may begin or end meanwhile, so their states may move.
void World::resume_strand(Strand strand) {
  std::exchange(strand_at(strand).waiting, nullptr).resume();
  if (strand_at(strand).task.done()) end_strand(strand);
  if (failure_) [[unlikely]]
    std::rethrow_exception(std::exchange(failure_, nullptr));
}

void World::end_strand(Strand strand) {
  const StrandState ended = std::exchange(strand_at(strand), StrandState{});
  free_strands_.push_back(static_cast<std::uint32_t>(-strand));
  ended.task.rethrow();
  complete(ended.request.id);
}

// One of the requests that a strand waits for is complete.
void World::fulfil(Strand strand) {
  if (--strand_at(strand).pending == 0) resume_strand(strand);
}

}  // namespace odonata
