// Generalized requests: the program says itself when they are complete.
#pragma once

#include "libmpi/api/api.hpp"

namespace odonata::libmpi::api {

class GeneralizedRequest final : public Request {
 public:
  GeneralizedRequest(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                     MPI_Grequest_cancel_function* cancel, void* extra_state);
  ~GeneralizedRequest() override;

  [[nodiscard]] bool ready() override { return complete_; }
  /// Asks the program for the status. Throws ErrorCode.
  void finish() override;
  void complete() { complete_ = true; }
  void cancel() const;
  /// Calls the program's function that frees it, once. Throws ErrorCode.
  void free();

 private:
  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* extra_state_;
  bool complete_ = false;
};

}  // namespace odonata::libmpi::api
