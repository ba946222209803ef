#include "odonata/mpi/ranks.hpp"

#include "odonata/explain/recorder.hpp"

namespace odonata {

void Ranks::explain(Recorder& recorder) {
  recorder_ = &recorder;
  acts_ = recorder.keeps_path() ? &recorder.acts() : nullptr;
}

void Ranks::note_work(std::int32_t rank, Work what, Time begin, Time time) const {
  recorder_->work(rank, what, begin, time);
}

void Ranks::tell_resume(std::int32_t rank) const { recorder_->resume(rank); }

void Ranks::tell_pause(std::int32_t rank, Time until) const {
  if (!recorder_->explains(rank)) return;
  if (until == now(rank))
    acts_->add({Act::Kind::rest, rank});
  else
    acts_->add({Act::Kind::pause, rank, until});
}

void Ranks::note_need(std::uint32_t act) const { acts_->need(act); }

void Ranks::prefetch_notes(std::int32_t rank) const { recorder_->prefetch(rank); }

}  // namespace odonata
