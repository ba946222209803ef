#pragma once

#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace odonata::amg {

// A mistake of the user, found on all ranks; one of them reports it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Triple = std::array<int, 3>;  // along x, y, z

// A unit, and how many seconds or bytes it is.
struct Unit {
  std::string_view name;
  double factor;
};
inline constexpr Unit time_units[] = {
    {"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
inline constexpr Unit size_units[] = {
    {"B", 1}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};

// "0.238us" in seconds or "2.5MiB" in bytes: 0 or more, the unit directly behind the number;
// nothing if it is anything else.
std::optional<double> quantity(std::string_view given, std::span<const Unit> units);

// A name of ours for a number of hypre's.
struct Choice {
  std::string_view name;
  int code = 0;
};

// Values of an option's words. All throw UsageError with the allowed values.

// ": unknown: x (did you mean y?)", then the known names.
std::string unknown(std::string_view given, std::span<const std::string_view> known);
Choice choose(std::string_view option, std::string_view given, std::span<const Choice> choices);
int whole_number(std::string_view option, std::string_view given, int least, int most);
double real_number(std::string_view option, std::string_view given, double least, double most);
// "50x50x25"
Triple triple(std::string_view option, std::string_view given);
// "0.238us": seconds
double time(std::string_view option, std::string_view given);
// "2.5MiB": bytes
double size(std::string_view option, std::string_view given);
// "1.59ns,0.806ns": seconds
std::vector<double> times(std::string_view option, std::string_view given);

}  // namespace odonata::amg
