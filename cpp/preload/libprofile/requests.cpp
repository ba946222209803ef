#include "preload/libprofile/requests.hpp"

#include <algorithm>

namespace odonata::libprofile {

Tracked& Requests::add(MPI_Request handle) {
  std::uint32_t place = 0;
  if (free_places_.empty()) {
    place = static_cast<std::uint32_t>(all_.size());
    all_.emplace_back();
  } else {
    place = free_places_.back();
    free_places_.pop_back();
  }
  Tracked& made = all_[place];
  made = {};
  made.handle = bits_of(handle);
  made.place = place;
  by_handle_[made.handle].push_back(place);
  return made;
}

void Requests::remove(Tracked& request) {
  const auto found = by_handle_.find(request.handle);
  if (found == by_handle_.end()) return;
  std::erase(found->second, request.place);
  free_places_.push_back(request.place);
  // An MPI has few handles, and uses them again: most lists stay for the next request.
  if (found->second.empty() && by_handle_.size() > 4096) by_handle_.erase(found);
}

Listed Requests::list(int count, const MPI_Request* handles) {
  Listed listed;
  if (handles == nullptr) return listed;
  listed.requests.resize(static_cast<std::size_t>(std::max(count, 0)));
  for (std::size_t i = 0; i < listed.requests.size(); ++i) {
    const auto found = by_handle_.find(bits_of(handles[i]));
    if (found == by_handle_.end()) continue;
    for (const std::uint32_t place : found->second) {
      if (all_[place].listed) continue;
      all_[place].listed = true;
      listed.requests[i] = &all_[place];
      break;
    }
  }
  for (Tracked* request : listed.requests)
    if (request != nullptr) request->listed = false;
  return listed;
}

Tracked* Requests::find(MPI_Request handle) {
  const auto found = by_handle_.find(bits_of(handle));
  return found == by_handle_.end() || found->second.empty() ? nullptr
                                                            : &all_[found->second.front()];
}

std::uint32_t Requests::take_number() {
  if (free_numbers_.empty()) return ++num_taken_;
  const std::uint32_t number = free_numbers_.back();
  free_numbers_.pop_back();
  return number;
}

}  // namespace odonata::libprofile
