#include "odonata/mpi/ranks.hpp"

namespace odonata {

void Ranks::explain(Recorder& recorder) {
  recorder_ = &recorder;
  notes_all_ = recorder.keeps_path();
  acts_ = recorder.acts().record() ? &recorder.acts() : nullptr;
}

void Ranks::tell_pause(std::int32_t rank, Time until) const {
  if (!recorder_->explains(rank)) return;
  if (until == now(rank))
    acts_->add({Act::Kind::rest, rank});
  else
    acts_->add({Act::Kind::pause, rank, until});
}

void Ranks::note_need(std::uint32_t act) const { acts_->need(act); }

}  // namespace odonata
