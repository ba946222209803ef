#pragma once

#include <memory>

#include "libmpi/api/handles.hpp"

namespace odonata::libmpi::api {

/// Tables of a rank in which the constants of the ABI stand for their objects.
[[nodiscard]] std::shared_ptr<Handles> make_handles(const CommRef& world, const CommRef& self);

}  // namespace odonata::libmpi::api
