// Fluid bounds: how much traffic of a pattern a machine can take at most, by counting.
//
// With oblivious routing each unit of injected traffic puts a known expected load on each link; the
// most loaded link, in terms of its rate, bounds the injection of the nodes. No simulation of the
// same traffic and routing accepts more in the long run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/routing/routing.hpp"

namespace odonata {

/// Who sends to whom: every node sends as much as every other one, to a node that is drawn from
///
///     uniform       all other nodes
///     adversarial   the nodes of the group `shift` groups on (mod the number of groups)
struct Pattern {
  enum class Kind : std::uint8_t { uniform, adversarial };
  Kind kind = Kind::uniform;
  int shift = 1;
};

/// The pattern of that name ("uniform", "adversarial"); throws UserError.
[[nodiscard]] Pattern pattern_named(const std::string& name, int shift);

struct FluidBound {
  double load = 0;  // most each node can inject, in units of its injection link's rate
  std::int32_t link = 0;  // the link that is full then (the first of equals)
  std::vector<double> link_load;  // [num_links] of each link, as a part of its rate, at load 1
};

/// Bound for a machine under a policy that its family declares as oblivious; throws UserError for
/// the other policies, and for adversarial traffic on a machine without groups.
///
/// Valiant sends all traffic by way of a third group (router, on machines without groups), that
/// between nodes of one router too.
[[nodiscard]] FluidBound fluid_bound(const Machine& machine, const std::string& policy,
                                     const Pattern& pattern);

}  // namespace odonata
