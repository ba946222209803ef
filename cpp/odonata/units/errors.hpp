// The roots of errors: what the user gave is wrong, the run is stuck, or we have a bug.
#pragma once

#include <stdexcept>
#include <string>

namespace odonata {

/// What the user gave is wrong: says what, the value and what is allowed.
class UserError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The ranks of a run wait for each other for ever: says who waits for whom.
class DeadlockError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The programs of a run ended, and none of them ever called MPI.
class NoMpiError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An invariant of ours is broken: a bug to report.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace odonata
