// Requests that the ABI's layer completes without the core.
#pragma once

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

class OwnRequest : public Request {
 public:
  OwnRequest() { ++count_; }
  OwnRequest(const OwnRequest&) = delete;
  OwnRequest& operator=(const OwnRequest&) = delete;
  ~OwnRequest() override { --count_; }

  /// Returns when ready() is true. Throws Error if that can never happen.
  virtual void wait(Function function) = 0;
  /// Called when the program's handle is freed. Throws ErrorCode.
  virtual void free() {}

 private:
  int& count_ = handles().num_own;
};

}  // namespace odonata::libmpi::api
