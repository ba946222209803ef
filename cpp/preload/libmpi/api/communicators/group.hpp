#pragma once

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// Returns MPI_IDENT, MPI_SIMILAR (the same members in another order) or MPI_UNEQUAL.
[[nodiscard]] int compare(const Group& a, const Group& b);

}  // namespace odonata::libmpi::api
