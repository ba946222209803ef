// Routing policies as a family offers them, by name.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace odonata {

/// A routing policy that a family offers. The first of a family is its plain one, which is also
/// called "minimal" in every family.
struct PolicyAbout {
  std::string name;
  std::string meaning;     // a sentence without its full stop
  bool oblivious = false;  // sends the same part of the traffic over each link whatever its load
  std::vector<std::string> aliases{};
};

/// Position of the policy that has this name or alias; throws UserError if none has.
[[nodiscard]] std::size_t policy_at(const std::vector<PolicyAbout>& offered,
                                    const std::string& name);

}  // namespace odonata
