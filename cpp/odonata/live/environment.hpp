// The environment of a fiber: the process's, with the fiber's own changes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "odonata/live/redirect.hpp"

namespace odonata::live {

struct Environment {
  using Changes = std::map<std::string, std::optional<std::string>, std::less<>>;

  std::vector<std::string> given;  // "NAME=value" besides the process's; "NAME": removed
  Changes changes;                 // by name; no value: the fiber has none of this name
  bool cleared = false;            // it has nothing but its changes
};

/// Functions for programs that work on the environment of the fiber that runs.
[[nodiscard]] std::vector<Redirection> environment_functions();

}  // namespace odonata::live
