// MPI_Request_get_status and its forms: tests that leave the handle as it is.
#include <algorithm>

#include "preload/libmpi/api/requests/own_request.hpp"
#include "preload/libmpi/api/requests/request_list.hpp"
#include "preload/libmpi/core/requests/wait.hpp"

namespace odonata::libmpi::api {

namespace {

bool inactive(const RequestRef& request) {
  const auto& settled = handles().settled;
  return !request || (!request->active && std::ranges::find(settled, request) == settled.end());
}

void write(MPI_Status* status, const RequestRef& request) {
  if (inactive(request))
    write_empty_status(status);
  else
    write_status(status, request->status);
}

std::vector<RequestRef> requests_of(int count, const MPI_Request* list) {
  if (count < 0) throw Error{ErrorClass::count, "the count is " + std::to_string(count)};
  require(count == 0 || list != nullptr, ErrorClass::arg, "the requests are a null pointer");
  std::vector<RequestRef> requests;
  for (int i = 0; i < count; ++i) requests.push_back(request_of(list[i]));
  return requests;
}

void write(MPI_Status* statuses, std::size_t place, const RequestRef& request) {
  if (statuses != MPI_STATUSES_IGNORE) write(statuses + place, request);
}

}  // namespace

bool complete(Function function, const RequestRef& request) {
  if (auto* own = dynamic_cast<OwnRequest*>(request.get())) {
    if (!own->ready()) return false;
    own->finish();
  } else if (request->active) {
    if (!test_all(function, std::vector{request})) return false;
    handles().settled.push_back(request);
  }
  return true;
}

ODONATA_MPI(int, Request_get_status, (MPI_Request handle, int* flag, MPI_Status* status)) {
  return call(Function::Request_get_status, [&] {
    const RequestRef request = request_of(handle);
    out(flag) = inactive(request) || complete(Function::Request_get_status, request) ? 1 : 0;
    if (*flag != 0) write(status, request);
  });
}

ODONATA_MPI(int, Request_get_status_all,
            (int count, const MPI_Request list[], int* flag, MPI_Status* statuses)) {
  return call(Function::Request_get_status_all, [&] {
    const auto requests = requests_of(count, list);
    out(flag) = std::ranges::all_of(requests, [](const RequestRef& request) {
      return inactive(request) || complete(Function::Request_get_status_all, request);
    });
    if (*flag == 0) return;
    for (std::size_t i = 0; i < requests.size(); ++i) write(statuses, i, requests[i]);
  });
}

ODONATA_MPI(int, Request_get_status_any,
            (int count, const MPI_Request list[], int* index, int* flag, MPI_Status* status)) {
  return call(Function::Request_get_status_any, [&] {
    const auto requests = requests_of(count, list);
    out(index) = MPI_UNDEFINED;
    out(flag) = std::ranges::all_of(requests, inactive);
    if (*flag != 0) return write_empty_status(status);
    const auto found = std::ranges::find_if(requests, [](const RequestRef& request) {
      return !inactive(request) && complete(Function::Request_get_status_any, request);
    });
    if (found == requests.end()) return;
    *flag = 1;
    *index = static_cast<int>(found - requests.begin());
    write(status, *found);
  });
}

ODONATA_MPI(int, Request_get_status_some,
            (int count, const MPI_Request list[], int* outcount, int indices[],
             MPI_Status* statuses)) {
  return call(Function::Request_get_status_some, [&] {
    const auto requests = requests_of(count, list);
    static_cast<void>(array(indices, count));
    out(outcount) = std::ranges::all_of(requests, inactive) ? MPI_UNDEFINED : 0;
    if (*outcount == MPI_UNDEFINED) return;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (inactive(requests[i])) continue;
      if (!complete(Function::Request_get_status_some, requests[i])) continue;
      const int place = (*outcount)++;
      indices[place] = static_cast<int>(i);
      write(statuses, static_cast<std::size_t>(place), requests[i]);
    }
  });
}

}  // namespace odonata::libmpi::api
