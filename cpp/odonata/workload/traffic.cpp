#include "odonata/workload/traffic.hpp"

#include <algorithm>
#include <numeric>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

std::uint32_t as_count(std::size_t n) { return static_cast<std::uint32_t>(n); }

/// Any other rank, all equally likely.
class Uniform final : public TrafficPattern {
 public:
  explicit Uniform(std::size_t ranks) : others_(as_count(ranks - 1)) {}
  [[nodiscard]] int target(int from, const Draws& draws, std::uint64_t i) const override {
    const auto to = static_cast<int>(draws.below(i, others_));
    return to >= from ? to + 1 : to;
  }

 private:
  std::uint32_t others_;
};

/// Any rank of the group `shift` groups onward.
class Adversarial final : public TrafficPattern {
 public:
  Adversarial(const Machine& machine, const std::vector<std::int32_t>& nodes, int shift) {
    const int groups = machine.num_groups();
    if (groups < 2)
      throw UserError("pattern adversarial: groups of the machine", groups, "2 or more");
    std::vector<std::vector<int>> members(groups);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const int group = machine.group_of(machine.node_router[nodes[i]]);
      group_.push_back(group);
      members[group].push_back(static_cast<int>(i));
    }
    for (int g = 0; g < groups; ++g) {
      int to = ((g + shift) % groups + groups) % groups;
      while (members[to].empty()) to = (to + 1) % groups;
      targets_.push_back(members[to]);
    }
  }
  [[nodiscard]] int target(int from, const Draws& draws, std::uint64_t i) const override {
    const auto& to = targets_[group_[static_cast<std::size_t>(from)]];
    return to[draws.below(i, as_count(to.size()))];
  }

 private:
  std::vector<int> group_;                 // [ranks]
  std::vector<std::vector<int>> targets_;  // [groups]
};

/// A fixed target for each rank.
class Fixed final : public TrafficPattern {
 public:
  explicit Fixed(std::vector<int> targets) : targets_(std::move(targets)) {}
  [[nodiscard]] int target(int from, const Draws& /*draws*/, std::uint64_t /*i*/) const override {
    return targets_[from];
  }

 private:
  std::vector<int> targets_;
};

/// A share of the messages goes to one of a few ranks, the others anywhere.
class Hotspot final : public TrafficPattern {
 public:
  Hotspot(std::size_t ranks, std::vector<int> hot, double fraction)
      : others_(ranks), hot_(std::move(hot)), fraction_(fraction) {}
  [[nodiscard]] int target(int from, const Draws& draws, std::uint64_t i) const override {
    if (draws.real(2 * i) >= fraction_) return others_.target(from, draws, 2 * i + 1);
    const int to = hot_[draws.below(2 * i + 1, as_count(hot_.size()))];
    return to == from ? others_.target(from, draws, 2 * i + 1) : to;
  }

 private:
  Uniform others_;
  std::vector<int> hot_;
  double fraction_;
};

// A random permutation in which no rank is its own target: one cycle (Sattolo 1986).
std::vector<int> cyclic_permutation(std::size_t ranks, std::uint64_t seed) {
  std::vector<int> targets(ranks);
  std::iota(targets.begin(), targets.end(), 0);
  const Draws draws(seed, Purpose::shuffle, 0);
  for (auto i = as_count(ranks) - 1; i > 0; --i) std::swap(targets[i], targets[draws.below(i, i)]);
  return targets;
}

void check_ranks(const std::vector<int>& targets, std::size_t ranks, int least) {
  for (const int to : targets)
    if (to < least || to >= static_cast<int>(ranks))
      throw UserError("pattern: target rank: out of range", to,
                      std::to_string(least) + " to " + std::to_string(ranks - 1));
}

}  // namespace

std::shared_ptr<const TrafficPattern> make_pattern(const PatternOptions& options,
                                                   const Machine& machine,
                                                   const std::vector<std::int32_t>& nodes,
                                                   std::uint64_t seed) {
  const std::size_t ranks = nodes.size();
  if (ranks < 2) throw UserError("pattern " + options.name + ": ranks", ranks, "2 or more");
  if (options.name == "uniform") return std::make_shared<Uniform>(ranks);
  if (options.name == "adversarial")
    return std::make_shared<Adversarial>(machine, nodes, options.shift);
  if (options.name == "permutation")
    return std::make_shared<Fixed>(cyclic_permutation(ranks, seed));
  if (options.name == "pairs") {
    check_ranks(options.targets, ranks, -1);
    if (options.targets.size() != ranks)
      throw UserError("pattern pairs: number of targets", options.targets.size(),
                      std::to_string(ranks) + ", as many as ranks");
    return std::make_shared<Fixed>(options.targets);
  }
  if (options.name == "hotspot") {
    const std::vector<int> hot = options.targets.empty() ? std::vector<int>{0} : options.targets;
    check_ranks(hot, ranks, 0);
    return std::make_shared<Hotspot>(ranks, hot, options.hot_fraction);
  }
  throw UserError("pattern: unknown", options.name,
                  "uniform, adversarial, permutation, hotspot, pairs");
}

Task traffic(Rank rank, Traffic what) {
  const Rate link =
      rank.machine().class_of(rank.machine().injection(rank.node_of(rank.index()))).bandwidth;
  const double mean_gap = static_cast<double>(link.time_of(what.bytes)) / what.load;
  const Draws gaps = rank.draws(Purpose::traffic_gap);
  const Draws targets = rank.draws(Purpose::traffic_target);
  const bool endless = what.messages_per_rank == 0;
  const auto count = static_cast<std::uint64_t>(what.messages_per_rank);
  double time = 0;
  for (std::uint64_t i = 0; endless || i < count; ++i) {
    const int to = what.pattern->target(rank.index(), targets, i);
    if (to < 0) co_return;
    time += what.periodic ? mean_gap : mean_gap * gaps.exponential(i);
    const Time due = static_cast<Time>(std::min(time, 2.0 * latest));
    if (due >= rank.now()) co_await rank.sleep_until(due);
    co_await rank.room();
    if (endless && rank.over()) co_return;
    rank.send_datagram(to, what.bytes, due, i + 1 == count);
  }
}

}  // namespace odonata
