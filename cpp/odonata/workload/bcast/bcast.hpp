// Broadcast: the root's data to everyone.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::bcast {

Task binomial(Rank rank, Call call);
Task scatter_allgather(Rank rank, Call call);

}  // namespace odonata::bcast
