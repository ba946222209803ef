#include "preload/libmpi/api/requests/generalized.hpp"

namespace odonata::libmpi::api {

namespace {

void check(int code) {
  if (code != MPI_SUCCESS) throw ErrorCode{code};
}

template <class Function, class... Args>
int call_fortran(Function* function, Args*... args) {
  MPI_Fint error = MPI_SUCCESS;
  auto* plain = reinterpret_cast<void (*)()>(function);
  reinterpret_cast<void (*)(Args*..., MPI_Fint*)>(plain)(args..., &error);
  return error;
}

}  // namespace

GeneralizedRequest::GeneralizedRequest(MPI_Grequest_query_function* query,
                                       MPI_Grequest_free_function* free,
                                       MPI_Grequest_cancel_function* cancel, void* extra_state)
    : query_(query), free_(free), cancel_(cancel), extra_state_(extra_state) {}

void GeneralizedRequest::wait(Function) {
  require(complete_, ErrorClass::request,
          "waits for a generalized request that can no longer be completed");
}

void GeneralizedRequest::finish() {
  MPI_Status found{};
  found.MPI_SOURCE = MPI_ANY_SOURCE;
  found.MPI_TAG = MPI_ANY_TAG;
  int code = MPI_SUCCESS;
  if (query_ != nullptr)
    code = fortran_ ? call_fortran(query_, extra_state_, &found) : query_(extra_state_, &found);
  status = read_status(found);
  status.error = static_cast<int>(error_class(found.MPI_ERROR));
  check(code);
}

void GeneralizedRequest::cancel() const {
  if (cancel_ == nullptr) return;
  int complete = complete_ ? 1 : 0;
  check(fortran_ ? call_fortran(cancel_, extra_state_, &complete)
                 : cancel_(extra_state_, complete));
}

void GeneralizedRequest::free() {
  MPI_Grequest_free_function* function = std::exchange(free_, nullptr);
  if (function == nullptr) return;
  check(fortran_ ? call_fortran(function, extra_state_) : function(extra_state_));
}

ODONATA_MPI(int, Grequest_start,
            (MPI_Grequest_query_function * query, MPI_Grequest_free_function* free,
             MPI_Grequest_cancel_function* cancel, void* extra_state, MPI_Request* request)) {
  return call(Function::Grequest_start, [&] {
    out(request) = add(std::make_shared<GeneralizedRequest>(query, free, cancel, extra_state));
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
