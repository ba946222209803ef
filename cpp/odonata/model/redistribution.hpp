// When a level of algebraic multigrid is faster on fewer ranks: the decision of "model-guided AMG
// on a dragonfly", section 6.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace odonata::model {

/// The time of a message between ranks that share a machine with others: alpha, beta, gamma and the
/// penalties that are switched on. A penalty that is off has the value that changes nothing.
struct MessageCosts {
  double alpha = 0;       // [s] to start a message between near nodes
  double far = 0;         // [s] (D - h_m) gamma: added to alpha by the diameter
  double beta = 0;        // [s] a value of 8 bytes, B_max/B included
  double contention = 0;  // [s] a value, for each message in flight: beta over the number of links
  double tasks = 1;  // ranks of a node
  bool alpha_shared = false, far_shared = false;  // whether the ranks of a node wait for each other

  /// The time that a rank needs for its messages [s]: `sends` of them with `values` values in all,
  /// on a level where `active` of `ranks` ranks send as many.
  [[nodiscard]] double seconds(double sends, double values, double active, double ranks) const;
};

/// Work that the operator of a level gives to its ranks.
struct LevelWork {
  double ranks = 1;  // P, of its communicator
  double rows = 0;  // C_i
  double row_nonzeros = 0;  // s_i, the mean
  double sends = 0;  // p_i, the largest number of messages of a rank
  double values_sent = 0;  // n_i, the largest number of values of a rank
  double active_ranks = 0;  // P_i, with rows
  double flop_seconds = 0;  // [s] t_i
};

/// Exchanges with neighbours on a level in a cycle: one in each of two sweeps, the residual and the
/// products that stand for restriction and interpolation. A sweep in C/F order, over the coarse
/// points and then over the fine ones, has two.
constexpr int exchanges_of_cycle = 5, exchanges_of_cycle_in_cf_order = 7;

/// Numbers of groups to consider, and the gain that justifies a switch.
struct RedistributionRules {
  bool exhaustive = false;  // every number of groups below p_i; otherwise powers of two alone
  double least_gain = 0.05;  // of the sum of T_noswitch up to the level
  double cache_bytes = 0;  // shared cache of a node over its ranks; 0: any size is allowed
  double index_bytes = 4;  // a column index or row pointer of the matrix
  int most_switches = 1;  // levels that may be redistributed, one after the other
  int exchanges = exchanges_of_cycle;  // with neighbours, on a level in a cycle
};

/// Why a level is redistributed or is not.
enum class Reason {
  finest,  // level 0 stays where the user has put it
  coarsest,  // the coarsest level is solved directly
  few_neighbors,  // no rank sends more than one message, so that no number of groups is below p_i
  cache,  // every number of groups makes the local problem too large for its cache
  slower,  // T_switch is not below T_noswitch
  small_gain,  // the gain is below the least that is asked
  switched,
  switched_before  // as many levels as allowed have been redistributed already
};

struct Candidate {
  int groups = 0;  // C
  double seconds = 0;  // T_switch
  bool too_large = false;  // excluded by the size class of the local problem
};

struct LevelDecision {
  double no_switch_seconds = 0;  // T_noswitch
  double sum_seconds = 0;  // the same, added up from level 0 to this one
  std::vector<Candidate> candidates;  // by rising number of groups
  std::optional<Candidate> best;  // the fastest that isn't excluded
  double gain = 0;  // (T_noswitch - T_switch of the best) / sum_seconds; 0: no best
  Reason reason = Reason::finest;

  [[nodiscard]] bool switches() const { return reason == Reason::switched; }
};

/// Decides level by level, the finest first. All ranks that give the same numbers get the same
/// answers, so that none has to tell another.
class Redistribution {
 public:
  Redistribution(const MessageCosts& costs, const RedistributionRules& rules);

  /// The decision before a level is coarsened, or for one that won't be.
  [[nodiscard]] LevelDecision decide(const LevelWork& level, bool coarsest = false);

 private:
  [[nodiscard]] double no_switch_seconds(const LevelWork& level) const;
  /// Exchanges beyond one for each product.
  [[nodiscard]] int further_exchanges() const { return rules_.exchanges - exchanges_of_cycle; }
  [[nodiscard]] double switch_seconds(const LevelWork& level, int groups) const;
  [[nodiscard]] bool is_too_large(const LevelWork& level, int groups) const;
  void look_at_candidates(const LevelWork& level, LevelDecision& decision) const;
  [[nodiscard]] Reason judge(const LevelDecision& decision) const;

  MessageCosts costs_;
  RedistributionRules rules_;
  double sum_seconds_ = 0;
  int level_ = 0, switches_ = 0;
};

/// The reason of a decision, for people.
[[nodiscard]] std::string explain(const LevelDecision& decision, const RedistributionRules& rules);

/// First rank of a group, where `ranks` adjacent ranks form `groups` groups: the first
/// `ranks % groups` have one rank more than the others. Group `groups` begins at `ranks`.
[[nodiscard]] constexpr int first_of_group(int group, int groups, int ranks) {
  const int more = ranks % groups;
  return group * (ranks / groups) + (group < more ? group : more);
}

/// The group of a rank, the inverse of the above.
[[nodiscard]] constexpr int group_of(int rank, int groups, int ranks) {
  const int size = ranks / groups, in_larger = (size + 1) * (ranks % groups);
  return rank < in_larger ? rank / (size + 1) : ranks % groups + (rank - in_larger) / size;
}

}  // namespace odonata::model
