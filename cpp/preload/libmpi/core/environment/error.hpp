// Errors of MPI by class. The layer of each ABI maps classes to numbers.
#pragma once

#include <string>

namespace odonata::libmpi {

enum class ErrorClass {
  success,
  buffer,
  count,
  type,
  tag,
  comm,
  rank,
  root,
  group,
  op,
  topology,
  dims,
  arg,
  unknown,
  truncate,
  other,
  intern,
  request,
  in_status,
  pending,
  keyval,
  info,
  info_key,
  info_value,
  info_nokey,
  no_mem,
  unsupported_operation,
  name,
  port,
  service,
  spawn,
  base,
  size,
  disp,
  not_same,
  session,
};

/// Thrown by the core. The function that the program called turns it into a call of an error
/// handler or a return code.
struct Error {
  ErrorClass error_class;
  std::string what;  // "message of 16 bytes from rank 3, tag 7 into a buffer of 8 bytes"
};

}  // namespace odonata::libmpi
