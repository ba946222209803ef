// The two roots of errors: what the user gave is wrong, or we have a bug.
#pragma once

#include <stdexcept>
#include <string>

namespace odonata {

/// What the user gave is wrong: says what, the value and what is allowed.
class UserError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An invariant of ours is broken: a bug to report.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace odonata
