// Waits and tests; starting, cancelling and freeing of requests.
#include <algorithm>

#include "preload/libmpi/api/requests/generalized.hpp"
#include "preload/libmpi/api/requests/orphans.hpp"
#include "preload/libmpi/api/requests/request_list.hpp"
#include "preload/libmpi/core/requests/wait.hpp"

namespace odonata::libmpi::api {

// ---- one or all

ODONATA_MPI(int, Wait, (MPI_Request * request, MPI_Status* status)) {
  return call(Function::Wait, [&] {
    RequestList list(1, request, status, Statuses::one);
    list.wait_all(Function::Wait);
    list.raise();
  });
}

ODONATA_MPI(int, Waitall, (int count, MPI_Request requests[], MPI_Status* statuses)) {
  return call(Function::Waitall, [&] {
    RequestList list(count, requests, statuses, Statuses::each);
    list.wait_all(Function::Waitall);
    list.raise();
  });
}

ODONATA_MPI(int, Test, (MPI_Request * request, int* flag, MPI_Status* status)) {
  return call(Function::Test, [&] {
    int& complete = out(flag);
    RequestList list(1, request, status, Statuses::one);
    complete = list.test_all(Function::Test) ? 1 : 0;
    list.raise();
  });
}

ODONATA_MPI(int, Testall, (int count, MPI_Request requests[], int* flag, MPI_Status* statuses)) {
  return call(Function::Testall, [&] {
    int& complete = out(flag);
    RequestList list(count, requests, statuses, Statuses::each);
    complete = list.test_all(Function::Testall) ? 1 : 0;
    list.raise();
  });
}

// ---- any

ODONATA_MPI(int, Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status)) {
  return call(Function::Waitany, [&] {
    out(index) = MPI_UNDEFINED;
    RequestList list(count, requests, status, Statuses::one);
    const auto places = list.wait_any(Function::Waitany);
    if (!places) return write_empty_status(status);
    out(index) = places->at(0);
    list.raise();
  });
}

ODONATA_MPI(int, Testany,
            (int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status)) {
  return call(Function::Testany, [&] {
    out(index) = MPI_UNDEFINED;
    out(flag) = 1;
    RequestList list(count, requests, status, Statuses::one);
    const auto places = list.test_any(Function::Testany);
    if (!places) return write_empty_status(status);
    out(flag) = places->empty() ? 0 : 1;
    if (!places->empty()) out(index) = places->front();
    list.raise();
  });
}

// ---- some

namespace {

int tell(const std::optional<std::vector<int>>& places, int* indices) {
  if (places) std::ranges::copy(*places, indices);
  return places ? static_cast<int>(places->size()) : MPI_UNDEFINED;
}

}  // namespace

ODONATA_MPI(int, Waitsome,
            (int incount, MPI_Request requests[], int* outcount, int indices[],
             MPI_Status* statuses)) {
  return call(Function::Waitsome, [&] {
    require(indices != nullptr || incount == 0, ErrorClass::arg, "the indices are a null pointer");
    int& number = out(outcount);
    RequestList list(incount, requests, statuses, Statuses::completed);
    number = tell(list.wait_some(Function::Waitsome), indices);
    list.raise();
  });
}

ODONATA_MPI(int, Testsome,
            (int incount, MPI_Request requests[], int* outcount, int indices[],
             MPI_Status* statuses)) {
  return call(Function::Testsome, [&] {
    require(indices != nullptr || incount == 0, ErrorClass::arg, "the indices are a null pointer");
    int& number = out(outcount);
    RequestList list(incount, requests, statuses, Statuses::completed);
    number = tell(list.test_some(Function::Testsome), indices);
    list.raise();
  });
}

// ---- persistent requests

namespace {

RequestRef startable(MPI_Request handle) {
  RequestRef request = request_of(handle);
  require(request && request->persistent, ErrorClass::request, "not a persistent request");
  require(!request->active, ErrorClass::request, "the request is active already");
  return request;
}

}  // namespace

ODONATA_MPI(int, Start, (MPI_Request * request)) {
  return call(Function::Start,
              [&] { start(Function::Start, std::vector{startable(out(request))}); });
}

ODONATA_MPI(int, Startall, (int count, MPI_Request requests[])) {
  return call(Function::Startall, [&] {
    require(count >= 0, ErrorClass::count, "the count is negative");
    require(requests != nullptr || count == 0, ErrorClass::arg, "the requests are a null pointer");
    std::vector<RequestRef> list;
    for (int i = 0; i < count; ++i) list.push_back(startable(requests[i]));
    start(Function::Startall, list);
  });
}

// ---- cancelling and freeing

ODONATA_MPI(int, Request_free, (MPI_Request * handle)) {
  return call(Function::Request_free, [&] {
    const RequestRef request = request_of(out(handle));
    require(request != nullptr, ErrorClass::request, "the request is MPI_REQUEST_NULL");
    handles().requests.remove(out(handle));
    out(handle) = MPI_REQUEST_NULL;
    std::erase(handles().settled, request);
    if (auto* own = dynamic_cast<OwnRequest*>(request.get()))
      own->free();
    else if (request->active)
      orphan(request);
  });
}

ODONATA_MPI(int, Cancel, (MPI_Request * handle)) {
  return call(Function::Cancel, [&] {
    const RequestRef request = request_of(out(handle));
    require(request != nullptr, ErrorClass::request, "the request is MPI_REQUEST_NULL");
    if (const auto* generalized = dynamic_cast<const GeneralizedRequest*>(request.get()))
      generalized->cancel();
    else
      cancel(Function::Cancel, request);
  });
}

}  // namespace odonata::libmpi::api
