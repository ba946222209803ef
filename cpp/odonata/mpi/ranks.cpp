#include "odonata/mpi/ranks.hpp"

namespace odonata {

void Ranks::note_work(std::int32_t rank, Work what, Time time) const {
  if (is_of_program(what) && time > 0) acts_->add({Act::Kind::work, rank, time});
}

void Ranks::tell_pause(std::int32_t rank, Time until) const {
  if (until == now(rank))
    acts_->add({Act::Kind::rest, rank});
  else
    acts_->add({Act::Kind::pause, rank, until});
}

void Ranks::note_need(std::uint32_t act) const { acts_->need(act); }

}  // namespace odonata
