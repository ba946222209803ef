#include "odonata/interchange/dumpi/requests.hpp"

#include <limits>

namespace odonata::interchange::dumpi {

std::uint32_t Requests::open(std::int64_t request, std::int64_t learns) {
  Request& made = all_[request];
  if (made.number != 0) {
    // It was completed in a call that was not recorded: our number goes to the new one.
  } else if (free_.empty()) {
    made.number = ++most_;
  } else {
    made.number = free_.top();
    free_.pop();
  }
  made.learns = learns;
  return made.number;
}

void Requests::keep(std::int64_t request, const trace::Call& call) {
  all_[request] = Request{0, -1, call};
}

Requests::Request* Requests::find(std::int64_t request) {
  const auto found = all_.find(request);
  return found == all_.end() ? nullptr : &found->second;
}

void Requests::close(std::int64_t request) {
  Request* open = find(request);
  if (open == nullptr) return;
  if (open->number != 0) free_.push(open->number);
  open->number = 0;
  open->learns = -1;
  if (!open->persistent) all_.erase(request);
}

std::int64_t Requests::learn_later(bool source, bool tag) {
  if (!source && !tag) return -1;
  learnt_.emplace_back();
  wanted_.push_back({source, tag});
  return static_cast<std::int64_t>(learnt_.size()) - 1;
}

void Requests::learn(std::int64_t place, std::int64_t source, std::int64_t tag,
                     std::uint32_t num_ranks) {
  if (place < 0) return;
  Found& found = learnt_[static_cast<std::size_t>(place)];
  const Wanted& wanted = wanted_[static_cast<std::size_t>(place)];
  if (wanted.source && source < 0) found.source = trace::nobody;
  if (wanted.source && source >= 0 && source < num_ranks)
    found.source = static_cast<std::int32_t>(source);
  if (wanted.tag && tag >= 0 && tag <= std::numeric_limits<std::int32_t>::max())
    found.tag = static_cast<std::int32_t>(tag);
}

}  // namespace odonata::interchange::dumpi
