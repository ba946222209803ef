#include "odonata/model/redistribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace odonata::model {

namespace {

constexpr double value_bytes = 8;
constexpr int products = 5;  // of a level in a cycle, with an exchange each
// A size class of the safeguard ends half-way to the next larger one.
constexpr double halfway = 0.5;

}  // namespace

double MessageCosts::seconds(double sends, double values, double active, double ranks) const {
  const double sharing = std::max(1.0, std::ceil(tasks * active / ranks));
  const double start = alpha * (alpha_shared ? sharing : 1) + far * (far_shared ? sharing : 1);
  return sends * start + values * (beta + contention * active * sends);
}

Redistribution::Redistribution(const MessageCosts& costs, const RedistributionRules& rules)
    : costs_(costs), rules_(rules) {}

LevelDecision Redistribution::decide(const LevelWork& level, bool coarsest) {
  LevelDecision decision;
  decision.no_switch_seconds = no_switch_seconds(level);
  sum_seconds_ += decision.no_switch_seconds;
  decision.sum_seconds = sum_seconds_;
  if (level_++ == 0) {
    decision.reason = Reason::finest;
  } else if (switches_ == rules_.most_switches) {
    decision.reason = Reason::switched_before;
  } else if (coarsest) {
    decision.reason = Reason::coarsest;
  } else {
    look_at_candidates(level, decision);
    decision.reason = judge(decision);
  }
  switches_ += decision.switches();
  return decision;
}

// Smoothing, residual, and products with the solve operator in place of restriction and
// interpolation, which aren't there yet: five products.
double Redistribution::no_switch_seconds(const LevelWork& level) const {
  const double flops = 2 * level.rows / level.ranks * level.row_nonzeros;
  const double exchange =
      costs_.seconds(level.sends, level.values_sent, level.active_ranks, level.ranks);
  return products * (flops * level.flop_seconds + exchange) + further_exchanges() * exchange;
}

// Five products on C ranks, each with all others as neighbours and with messages as long as now,
// and two gathers and a scatter along binary trees.
double Redistribution::switch_seconds(const LevelWork& level, int groups) const {
  const double rows = level.rows / groups, others = groups - 1;
  const double values = level.sends > 0 ? others * level.values_sent / level.sends : 0;
  const double flops = 2 * rows * level.row_nonzeros * level.flop_seconds;
  const double exchange = costs_.seconds(others, values, groups, level.ranks);
  const double steps = std::ceil(std::log2(level.active_ranks / groups));
  const double start = costs_.seconds(1, 0, level.active_ranks, level.ranks);
  const double value = costs_.seconds(1, 1, level.active_ranks, level.ranks) - start;
  return products * (flops + exchange) + further_exchanges() * exchange + 3 * steps * start +
         rows * (2 + steps) * value;
}

// The local problem is small where matrix and source vector fit in the cache, medium where the
// vector does, and large otherwise. It must not come half-way to a larger class than it has.
bool Redistribution::is_too_large(const LevelWork& level, int groups) const {
  if (rules_.cache_bytes <= 0) return false;
  const double row_bytes =
      level.row_nonzeros * (value_bytes + rules_.index_bytes) + rules_.index_bytes + value_bytes;
  const double rows = level.rows / level.active_ranks, cache = rules_.cache_bytes;
  const double new_rows = level.rows / groups, limit = halfway * cache;
  const bool small = rows * row_bytes <= cache, medium = rows * value_bytes <= cache;
  if (small) return new_rows * row_bytes >= limit;
  return medium && new_rows * value_bytes >= limit;
}

void Redistribution::look_at_candidates(const LevelWork& level, LevelDecision& decision) const {
  const double below = std::min(level.sends, level.active_ranks);
  for (int groups = 1; groups < below; groups = rules_.exhaustive ? groups + 1 : 2 * groups) {
    const Candidate candidate{groups, switch_seconds(level, groups), is_too_large(level, groups)};
    decision.candidates.push_back(candidate);
    const bool faster = !decision.best || candidate.seconds < decision.best->seconds;
    if (!candidate.too_large && faster) decision.best = candidate;
  }
  if (decision.best && decision.sum_seconds > 0)
    decision.gain = (decision.no_switch_seconds - decision.best->seconds) / decision.sum_seconds;
}

Reason Redistribution::judge(const LevelDecision& decision) const {
  if (decision.candidates.empty()) return Reason::few_neighbors;
  if (!decision.best) return Reason::cache;
  if (decision.best->seconds >= decision.no_switch_seconds) return Reason::slower;
  return decision.gain < rules_.least_gain ? Reason::small_gain : Reason::switched;
}

std::string explain(const LevelDecision& decision, const RedistributionRules& rules) {
  char text[80];
  switch (decision.reason) {
    case Reason::finest: return "the finest level stays where it is";
    case Reason::coarsest: return "the coarsest level is solved directly";
    case Reason::few_neighbors: return "no rank has two neighbors";
    case Reason::cache: return "on fewer ranks the local problem outgrows the cache";
    case Reason::slower: return "a switch is slower";
    case Reason::switched_before: return "a finer level is switched";
    case Reason::small_gain:
      std::snprintf(text, sizeof text, "the gain of %.1f %% is below %g %%", 100 * decision.gain,
                    100 * rules.least_gain);
      return text;
    case Reason::switched:
      std::snprintf(text, sizeof text, "a switch to %d gains %.1f %%", decision.best->groups,
                    100 * decision.gain);
      return text;
  }
  return "";
}

}  // namespace odonata::model
