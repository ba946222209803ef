#include "libmpi/api/generalized.hpp"

namespace odonata::libmpi::api {

namespace {

void check(int code) {
  if (code != MPI_SUCCESS) throw ErrorCode{code};
}

}  // namespace

GeneralizedRequest::GeneralizedRequest(MPI_Grequest_query_function* query,
                                       MPI_Grequest_free_function* free,
                                       MPI_Grequest_cancel_function* cancel, void* extra_state)
    : query_(query), free_(free), cancel_(cancel), extra_state_(extra_state) {}

void GeneralizedRequest::wait(Function) {
  require(complete_, ErrorClass::request,
          "waits for a generalized request that nobody can complete any more");
}

void GeneralizedRequest::finish() {
  MPI_Status found{};
  found.MPI_SOURCE = MPI_ANY_SOURCE;
  found.MPI_TAG = MPI_ANY_TAG;
  const int code = query_ == nullptr ? MPI_SUCCESS : query_(extra_state_, &found);
  status = read_status(found);
  check(code);
}

void GeneralizedRequest::cancel() const {
  if (cancel_ != nullptr) check(cancel_(extra_state_, complete_ ? 1 : 0));
}

void GeneralizedRequest::free() {
  MPI_Grequest_free_function* function = std::exchange(free_, nullptr);
  if (function != nullptr) check(function(extra_state_));
}

ODONATA_MPI(int, Grequest_start,
            (MPI_Grequest_query_function * query, MPI_Grequest_free_function* free,
             MPI_Grequest_cancel_function* cancel, void* extra_state, MPI_Request* request)) {
  return call(Function::Grequest_start, [&] {
    *request = add(std::make_shared<GeneralizedRequest>(query, free, cancel, extra_state));
  });
}

ODONATA_MPI(int, Grequest_complete, (MPI_Request handle)) {
  return call(Function::Grequest_complete, [&] {
    const RequestRef request = request_of(handle);
    auto* generalized = dynamic_cast<GeneralizedRequest*>(request.get());
    require(generalized != nullptr, ErrorClass::request, "not a generalized request");
    generalized->complete();
  });
}

}  // namespace odonata::libmpi::api
