// The roots of errors: the user's input is wrong, the run is stuck, or we have a bug.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace odonata {

/// The parts of an error's message, as odonata.errors has them.
struct Fault {
  using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

  std::string what;  // starts with the name of the thing: "shape.groups: out of range"
  Value value = {};
  std::string allowed = {};  // range or choices, in words
  std::string near = {};     // the known name that was probably meant
};

/// All parts in one line: "shape.groups: out of range: 74; allowed: 1 to 73".
[[nodiscard]] std::string text_of(const Fault& fault);

/// A mistake of the user. The message has the name, the value and the allowed range.
class UserError : public std::invalid_argument {
 public:
  explicit UserError(Fault fault);
  explicit UserError(std::string what) : UserError(Fault{std::move(what)}) {}
  UserError(std::string what, std::integral auto value, std::string allowed = {})
      : UserError(Fault{std::move(what), static_cast<std::int64_t>(value), std::move(allowed)}) {}
  UserError(std::string what, std::floating_point auto value, std::string allowed = {})
      : UserError(Fault{std::move(what), static_cast<double>(value), std::move(allowed)}) {}
  UserError(std::string what, std::string value, std::string allowed = {})
      : UserError(Fault{std::move(what), std::move(value), std::move(allowed)}) {}

  [[nodiscard]] const Fault& fault() const noexcept { return *fault_; }

 private:
  std::shared_ptr<const Fault> fault_;  // a copy of an exception may not throw
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

/// Something is lost at the end of a run, or has come from nowhere.
class ConservationError : public InternalError {
 public:
  /// `place` is a link, a buffer or a message; `quantity` has its unit in brackets.
  ConservationError(const std::string& place, const std::string& quantity, std::int64_t found,
                    std::int64_t expected);

  [[nodiscard]] const std::string& place() const noexcept { return *place_; }
  [[nodiscard]] std::int64_t found() const noexcept { return found_; }
  [[nodiscard]] std::int64_t expected() const noexcept { return expected_; }

 private:
  std::shared_ptr<const std::string> place_;
  std::int64_t found_, expected_;
};

}  // namespace odonata
