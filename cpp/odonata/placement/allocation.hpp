// Allocation: which nodes of a machine a job has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "odonata/machine/machine.hpp"

namespace odonata {

/// Ways to choose nodes among the free ones.
///
///     contiguous      the next ones by number from a first node on, round the machine
///     random          nodes in random order
///     random_routers  routers in random order, each with all its free nodes
///     random_groups   groups in random order, each with all its free nodes
enum class Strategy : std::uint8_t { contiguous, random, random_routers, random_groups };

/// The strategy of that name, "random-routers" and so on; throws UserError.
[[nodiscard]] Strategy strategy_named(const std::string& name);

/// The nodes of a machine that no job has yet. Jobs take theirs one after the other; the draws of a
/// job depend on (seed, its number) alone.
class FreeNodes {
 public:
  FreeNodes(const Machine& machine, std::uint64_t seed);

  /// Takes that many nodes, in the order in which the strategy finds them; `first` is where
  /// contiguous begins. Throws UserError if there are not enough.
  std::vector<std::int32_t> take(Strategy strategy, int count, int first, int job);
  /// Takes these nodes; throws UserError if one is not there, is listed twice or has a job.
  void take(const std::vector<std::int32_t>& nodes);

  /// Number of nodes that are left.
  [[nodiscard]] int count() const { return count_; }

 private:
  [[nodiscard]] std::vector<std::int32_t> candidates(Strategy strategy, int first, int job) const;

  const Machine& machine_;
  std::uint64_t seed_;
  std::vector<bool> taken_;  // [num_nodes]
  int count_;
};

}  // namespace odonata
