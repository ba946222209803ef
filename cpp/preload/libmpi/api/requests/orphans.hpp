// Requests that the program freed before they were complete. They continue without it.
#pragma once

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

void orphan(RequestRef request);
/// Takes the data that have arrived for them.
void finish_orphans();
void wait_for_orphans(Function function);

}  // namespace odonata::libmpi::api
