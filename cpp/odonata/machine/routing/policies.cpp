#include "odonata/machine/routing/policies.hpp"

#include <algorithm>

#include "odonata/units/errors.hpp"

namespace odonata {

std::size_t policy_at(const std::vector<PolicyAbout>& offered, const std::string& name) {
  std::string names;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    const PolicyAbout& policy = offered[i];
    if (policy.name == name || std::ranges::find(policy.aliases, name) != policy.aliases.end())
      return i;
    names += (i > 0 ? ", " : "") + policy.name;
  }
  throw UserError("routing: unknown", name, names);
}

}  // namespace odonata
