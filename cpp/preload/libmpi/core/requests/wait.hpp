// Waits and tests for requests, and the start of persistent ones.
//
// Null and inactive requests are passed over. A completed request becomes inactive; the caller
// forgets it unless it is persistent. The error of a request is in its status; functions that take
// many requests also throw in_status.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "preload/libmpi/core/requests/request.hpp"

namespace odonata::libmpi {

using trace::Function;

/// Starts persistent requests.
void start(Function function, std::span<const RequestRef> requests);

void wait_all(Function function, std::span<const RequestRef> requests);
/// The index of the completed request; nothing if no request is active.
std::optional<int> wait_any(Function function, std::span<const RequestRef> requests);
std::vector<int> wait_some(Function function, std::span<const RequestRef> requests);
bool test_all(Function function, std::span<const RequestRef> requests);
/// The same without waiting; `has_active` is false if no request is active.
std::optional<int> test_any(Function function, std::span<const RequestRef> requests,
                            bool& has_active);
std::vector<int> test_some(Function function, std::span<const RequestRef> requests);

}  // namespace odonata::libmpi
