// Error handlers.
#pragma once

#include <memory>

namespace odonata::libmpi {

struct ErrorHandler {
  enum class Action { fatal, abort, give_back, call };
  Action action = Action::fatal;
  void (*function)() = nullptr;  // the program's, of the type that its ABI says
  int num_handles = 1;           // that the program has of it
  bool fortran = false;          // the function takes handles as integers
};
using ErrorHandlerRef = std::shared_ptr<ErrorHandler>;

}  // namespace odonata::libmpi
