// Requests that the core knows nothing of: the ABI's layer says when they are complete.
#pragma once

#include "libmpi/api/api.hpp"

namespace odonata::libmpi::api {

class OwnRequest : public Request {
 public:
  OwnRequest() { ++handles().num_own; }
  ~OwnRequest() override { --handles().num_own; }

  /// Returns when it is ready(). Throws Error if nothing can make it so.
  virtual void wait(Function function) = 0;
  /// The program's handle goes. Throws ErrorCode.
  virtual void free() {}
};

}  // namespace odonata::libmpi::api
