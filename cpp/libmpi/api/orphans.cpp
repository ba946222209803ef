#include "libmpi/api/orphans.hpp"

#include <algorithm>

namespace odonata::libmpi::api {

namespace {

// Nobody can be told of an error.
void finish(Request& request) {
  request.active = false;
  try {
    request.finish();
  } catch (const Error&) {
    return;
  }
}

}  // namespace

void orphan(RequestRef request) {
  handles().orphans.push_back(std::move(request));
  finish_orphans();
}

// The simulator may still be at work on them: their numbers stay taken.
void finish_orphans() {
  Handles& h = handles();
  for (const RequestRef& request : h.orphans)
    if (!request->undecided() && request->ready()) finish(*request);
  const auto done = std::ranges::stable_partition(
      h.orphans, [](const RequestRef& request) { return request->active; });
  h.retired.insert(h.retired.end(), done.begin(), done.end());
  h.orphans.erase(done.begin(), done.end());
}

void wait_for_orphans(Function function) {
  std::vector<RequestRef> orphans;
  orphans.swap(handles().orphans);
  try {
    wait_all(function, orphans);
  } catch (const Error&) {
    return;  // nobody can be told
  }
}

}  // namespace odonata::libmpi::api
