// The policies of families whose packets may go by way of somewhere else: minimal routes, detours,
// and the choice between the two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/routing/policies.hpp"

namespace odonata {

enum class Policy : std::uint8_t { minimal, valiant, ugal_l, ugal_g, par };

/// The policies as a family declares them, in the order of `Policy`.
[[nodiscard]] const std::vector<PolicyAbout>& detour_policies();

/// The policy of that name ("minimal", "valiant", "ugal-l", "ugal-g", "par"); throws UserError.
[[nodiscard]] inline Policy policy_named(const std::string& name) {
  return static_cast<Policy>(policy_at(detour_policies(), name));
}

/// Does the policy look at the bytes that wait for a link?
[[nodiscard]] constexpr bool is_adaptive(Policy policy) {
  return policy != Policy::minimal && policy != Policy::valiant;
}

}  // namespace odonata
