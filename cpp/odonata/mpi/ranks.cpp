#include "odonata/mpi/ranks.hpp"

namespace odonata {

void Ranks::note_work(std::int32_t rank, Work what, Time time) const {
  if (is_of_program(what) && time > 0) acts_->add(rank, {Act::Kind::work, 0, 0, 0, time});
}

void Ranks::tell_pause(std::int32_t rank, Time until) const {
  if (until == now(rank))
    acts_->add(rank, {Act::Kind::rest});
  else
    acts_->add(rank, {Act::Kind::pause, 0, 0, 0, until});
}

void Ranks::note_need(ActId act) const { acts_->need(act); }

}  // namespace odonata
