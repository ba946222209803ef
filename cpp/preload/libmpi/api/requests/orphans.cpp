#include "preload/libmpi/api/requests/orphans.hpp"
#include "preload/libmpi/core/requests/wait.hpp"

#include <algorithm>

namespace odonata::libmpi::api {

namespace {

// No handle is left that an error could be reported on.
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

// The simulator may still work on these requests, so their numbers stay in use.
void finish_orphans() {
  Handles& h = handles();
  for (const RequestRef& request : h.orphans)
    if (!request->undecided() && request->ready()) finish(*request);
  const auto done = std::stable_partition(h.orphans.begin(), h.orphans.end(),
                                          [](const RequestRef& r) { return r->active; });
  h.retired.insert(h.retired.end(), done, h.orphans.end());
  h.orphans.erase(done, h.orphans.end());
}

void wait_for_orphans(Function function) {
  std::vector<RequestRef> orphans;
  orphans.swap(handles().orphans);
  try {
    wait_all(function, orphans);
  } catch (const Error&) {
    return;  // no caller can be told
  }
}

}  // namespace odonata::libmpi::api
