#include "odonata/mpi/ranks.hpp"

#include "odonata/explain/recorder.hpp"

namespace odonata {

void Ranks::note_work(std::int32_t rank, Work what, Time begin, Time time) const {
  recorder_->work(rank, what, begin, time);
}

void Ranks::tell_resume(std::int32_t rank) const { recorder_->resume(rank); }
void Ranks::prefetch_notes(std::int32_t rank) const { recorder_->prefetch(rank); }

}  // namespace odonata
