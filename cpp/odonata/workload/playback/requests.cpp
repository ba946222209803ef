#include "odonata/workload/playback/requests.hpp"

#include "odonata/units/errors.hpp"

namespace odonata::playback {

void Requests::open(std::uint32_t number, const Open& made) {
  if (number >= all_.size()) all_.resize(number + 1);
  if (all_[number].kind != Open::Kind::none) {
    freed_.push_back(all_[number].request);
    retire_freed();
    --num_open_;
  }
  ++num_open_;
  all_[number] = made;
}

const Open& Requests::at(std::uint32_t number) const {
  if (number >= all_.size() || all_[number].kind == Open::Kind::none)
    throw UserError("rank " + std::to_string(rank_.index()) + ": request", number,
                    "numbers of requests that it has begun and not completed");
  return all_[number];
}

// Looks through them when they have become twice as many as the last look left.
void Requests::retire_freed() {
  if (freed_.size() < look_at_) return;
  std::erase_if(freed_, [this](Request request) {
    const bool done = rank_.done(request);
    if (done) rank_.retire(request);
    return done;
  });
  look_at_ = 2 * freed_.size() + 64;
}

}  // namespace odonata::playback
