#pragma once

#include <array>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace odonata::amg {

// What the user gave is wrong: the same on all ranks, and one of them says so.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Triple = std::array<int, 3>;  // along x, y, z

// A name of ours for a number of hypre's.
struct Choice {
  std::string_view name;
  int code = 0;
};

// What an option's words stand for. All throw UsageError, with what is allowed.

// ": unknown: x (did you mean y?)", then what there is.
std::string unknown(std::string_view given, std::span<const std::string_view> known);
Choice choose(std::string_view option, std::string_view given, std::span<const Choice> choices);
int whole_number(std::string_view option, std::string_view given, int least, int most);
double real_number(std::string_view option, std::string_view given, double least, double most);
// "50x50x25"
Triple triple(std::string_view option, std::string_view given);
// "1.59ns,0.806ns": seconds
std::vector<double> times(std::string_view option, std::string_view given);

}  // namespace odonata::amg
