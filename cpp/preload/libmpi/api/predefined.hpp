#pragma once

#include <memory>

#include "preload/libmpi/api/handles.hpp"

namespace odonata::libmpi::api {

/// New tables of a rank that hold the objects of the ABI's constants.
[[nodiscard]] std::shared_ptr<Handles> make_handles(const CommRef& world, const CommRef& self);

}  // namespace odonata::libmpi::api
