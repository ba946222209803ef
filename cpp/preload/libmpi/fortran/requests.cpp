// Functions with lists of requests: their handles are converted, and indices count from 1.
#include "preload/libmpi/fortran/entry.hpp"

namespace {

using namespace odonata::libmpi::fortran;

class Requests : public HandleArray<MPI_Request> {
 public:
  Requests(const MPI_Fint* count, void* place) : HandleArray(*count, place, Direction::both) {}
};

void count_from_one(MPI_Fint* place) {
  if (*place != MPI_UNDEFINED) ++*place;
}

void count_from_one(const MPI_Fint* count, MPI_Fint* places) {
  for (int i = 0; *count != MPI_UNDEFINED && i < *count; ++i) ++places[i];
}

}  // namespace

ODONATA_MPI_FORTRAN(void, startall, (MPI_Fint * count, void* requests, MPI_Fint* error)) {
  if (lacks(Function::Startall, error, count, elements(count, requests))) return;
  Requests list(count, requests);
  code(error) = PMPI_Startall(*count, list.data());
}

ODONATA_MPI_FORTRAN(void, waitall,
                    (MPI_Fint * count, void* requests, void* status, MPI_Fint* error)) {
  if (lacks(Function::Waitall, error, count, elements(count, requests))) return;
  Requests list(count, requests);
  code(error) = PMPI_Waitall(*count, list.data(), statuses(status));
}

ODONATA_MPI_FORTRAN(void, testall,
                    (MPI_Fint * count, void* requests, MPI_Fint* flag, void* status,
                     MPI_Fint* error)) {
  if (lacks(Function::Testall, error, count, elements(count, requests))) return;
  Requests list(count, requests);
  code(error) = PMPI_Testall(*count, list.data(), flag, statuses(status));
}

ODONATA_MPI_FORTRAN(void, waitany,
                    (MPI_Fint * count, void* requests, MPI_Fint* place, void* status,
                     MPI_Fint* error)) {
  if (lacks(Function::Waitany, error, count, elements(count, requests), place)) return;
  Requests list(count, requests);
  code(error) = PMPI_Waitany(*count, list.data(), place, statuses(status));
  count_from_one(place);
}

ODONATA_MPI_FORTRAN(void, testany,
                    (MPI_Fint * count, void* requests, MPI_Fint* place, MPI_Fint* flag,
                     void* status, MPI_Fint* error)) {
  if (lacks(Function::Testany, error, count, elements(count, requests), place)) return;
  Requests list(count, requests);
  code(error) = PMPI_Testany(*count, list.data(), place, flag, statuses(status));
  count_from_one(place);
}

ODONATA_MPI_FORTRAN(void, waitsome,
                    (MPI_Fint * count, void* requests, MPI_Fint* done, MPI_Fint* places,
                     void* status, MPI_Fint* error)) {
  if (lacks(Function::Waitsome, error, count, elements(count, requests), done,
            elements(count, places)))
    return;
  Requests list(count, requests);
  code(error) = PMPI_Waitsome(*count, list.data(), done, places, statuses(status));
  count_from_one(done, places);
}

ODONATA_MPI_FORTRAN(void, testsome,
                    (MPI_Fint * count, void* requests, MPI_Fint* done, MPI_Fint* places,
                     void* status, MPI_Fint* error)) {
  if (lacks(Function::Testsome, error, count, elements(count, requests), done,
            elements(count, places)))
    return;
  Requests list(count, requests);
  code(error) = PMPI_Testsome(*count, list.data(), done, places, statuses(status));
  count_from_one(done, places);
}

// ---- without changing the requests

ODONATA_MPI_FORTRAN(void, request_get_status_all,
                    (MPI_Fint * count, void* requests, MPI_Fint* flag, void* status,
                     MPI_Fint* error)) {
  if (lacks(Function::Request_get_status_all, error, count, elements(count, requests))) return;
  HandleArray<MPI_Request> list(*count, requests);
  code(error) = PMPI_Request_get_status_all(*count, list.data(), flag, statuses(status));
}

ODONATA_MPI_FORTRAN(void, request_get_status_any,
                    (MPI_Fint * count, void* requests, MPI_Fint* place, MPI_Fint* flag,
                     void* status, MPI_Fint* error)) {
  if (lacks(Function::Request_get_status_any, error, count, elements(count, requests), place))
    return;
  HandleArray<MPI_Request> list(*count, requests);
  code(error) = PMPI_Request_get_status_any(*count, list.data(), place, flag, statuses(status));
  count_from_one(place);
}

ODONATA_MPI_FORTRAN(void, request_get_status_some,
                    (MPI_Fint * count, void* requests, MPI_Fint* done, MPI_Fint* places,
                     void* status, MPI_Fint* error)) {
  if (lacks(Function::Request_get_status_some, error, count, elements(count, requests), done,
            elements(count, places)))
    return;
  HandleArray<MPI_Request> list(*count, requests);
  code(error) = PMPI_Request_get_status_some(*count, list.data(), done, places, statuses(status));
  count_from_one(done, places);
}

// ---- generalized requests

namespace {

struct Generalized {
  void (*query)(MPI_Aint* extra, MPI_Fint* status, MPI_Fint* error);
  void (*free)(MPI_Aint* extra, MPI_Fint* error);
  void (*cancel)(MPI_Aint* extra, MPI_Fint* complete, MPI_Fint* error);
  MPI_Aint extra;
};

int query(void* state, MPI_Status* status) {
  auto* request = static_cast<Generalized*>(state);
  MPI_Fint error = MPI_SUCCESS;
  request->query(&request->extra, reinterpret_cast<MPI_Fint*>(status), &error);
  return error;
}

int free_it(void* state) {
  auto* request = static_cast<Generalized*>(state);
  MPI_Fint error = MPI_SUCCESS;
  request->free(&request->extra, &error);
  delete request;
  return error;
}

int cancel(void* state, int complete) {
  auto* request = static_cast<Generalized*>(state);
  MPI_Fint error = MPI_SUCCESS;
  request->cancel(&request->extra, &complete, &error);
  return error;
}

}  // namespace

ODONATA_MPI_FORTRAN(void, grequest_start,
                    (decltype(Generalized::query) query_function,
                     decltype(Generalized::free) free_function,
                     decltype(Generalized::cancel) cancel_function, MPI_Aint* extra,
                     MPI_Fint* result, MPI_Fint* error)) {
  if (lacks(Function::Grequest_start, error, query_function, free_function, cancel_function, extra,
            result))
    return;
  MPI_Request request = MPI_REQUEST_NULL;
  auto* state = new Generalized{query_function, free_function, cancel_function, *extra};
  code(error) = PMPI_Grequest_start(query, free_it, cancel, state, &request);
  *result = to_fortran(request);
}
