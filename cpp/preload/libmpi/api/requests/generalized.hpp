// Generalized requests, which the program itself marks as complete.
#pragma once

#include "preload/libmpi/api/requests/own_request.hpp"

namespace odonata::libmpi::api {

class GeneralizedRequest final : public OwnRequest {
 public:
  GeneralizedRequest(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                     MPI_Grequest_cancel_function* cancel, void* extra_state);

  [[nodiscard]] bool ready() override { return complete_; }
  /// Calls the program's query function for the status. Throws ErrorCode.
  void finish() override;
  void complete() { complete_ = true; }
  /// Marks the program's functions as Fortran's, which take addresses and an error code.
  void speak_fortran() { fortran_ = true; }
  void cancel() const;
  void wait(Function function) override;
  /// Calls the program's free function, once.
  void free() override;

 private:
  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* extra_state_;
  bool complete_ = false;
  bool fortran_ = false;
};

}  // namespace odonata::libmpi::api
