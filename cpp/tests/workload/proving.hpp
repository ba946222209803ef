// Proves collective calls right on symbols, in settings of every kind.
#pragma once

#include <set>

#include "check.hpp"
#include "instant_network.hpp"
#include "odonata/machine/families/dragonfly/dragonfly.hpp"
#include "odonata/machine/families/star/star.hpp"
#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/symbolic.hpp"

namespace odonata::tests {

inline const LinkClass some_links{"", Rate{1'000'000'000}, 0, 16384, 0};

inline Basics basics() {
  Basics b;
  b.node_latency = 20;
  b.node_bandwidth = Rate{picoseconds_per_second};
  return b;
}

// 72 nodes: 2 a router, 4 routers a group, 9 groups.
inline const Machine& small_dragonfly() {
  static const Machine made = [] {
    Dragonfly d;
    d.basics = basics();
    d.nodes_per_router = d.global_links_per_router = 2;
    d.routers_per_group = 4;
    d.groups = 9;
    d.injection = d.ejection = d.local = d.global = some_links;
    return make_dragonfly(d);
  }();
  return made;
}

inline const Machine& small_star() {
  static const Machine made = [] {
    Star s;
    s.basics = basics();
    s.nodes = 8;
    s.injection = s.ejection = some_links;
    return make_star(s);
  }();
  return made;
}

inline MpiOptions with_costs() {
  MpiOptions o;
  o.send_overhead = 70;
  o.recv_overhead = 50;
  o.send_per_byte = o.recv_per_byte = o.copy_per_byte = {0.5};
  o.reduce_per_byte = {1.5};
  return o;
}

inline MpiOptions with_threshold(MpiOptions options, Bytes threshold) {
  options.eager_threshold = threshold;
  options.control_bytes = 16;
  return options;
}

// The setting of a run: machine, costs and protocol change with the seed.
struct Setting {
  const Machine& machine;
  MpiOptions options;
  std::vector<std::int32_t> nodes;
  std::uint64_t seed;
  int repetitions = 1;

  Setting(int ranks, std::uint64_t s)
      : machine(s % 5 == 4 ? small_star() : small_dragonfly()),
        options(with_threshold(s % 2 == 0 ? MpiOptions{} : with_costs(), thresholds[s % 3])),
        seed(s),
        repetitions(s % 4 == 3 ? 3 : 1) {
    const Draws draws(seed, Purpose::mapping, 0);
    const auto all = static_cast<std::uint32_t>(machine.num_nodes());
    for (int r = 0; r < ranks; ++r)
      nodes.push_back(static_cast<std::int32_t>(draws.below(static_cast<std::uint64_t>(r), all)));
  }

 private:
  static constexpr Bytes thresholds[] = {8192, -1, 600};  // eager; rendezvous; by size
};

inline Task again_and_again(Rank rank, const Algorithm& algorithm, Call call, int repetitions) {
  for (int i = 0; i < repetitions; ++i) {
    Task once = algorithm.run(rank, call);
    co_await once;
  }
}

// Runs a call on symbols; returns the first mistake, empty if it is right.
inline std::string mistake(const Algorithm& algorithm, const Calls& calls, const Setting& on,
                           JobStatistics& statistics) {
  SymbolicMemory memory(algorithm.operation, calls);
  InstantWorld run(on.machine, on.options, on.seed);
  JobSpec job;
  job.nodes = on.nodes;
  job.memory = &memory;
  job.record_messages = true;
  job.program = [&](Rank rank) {
    const Call call = calls[rank.index()];
    return again_and_again(std::move(rank), algorithm, call, on.repetitions);
  };
  run.world.add(std::move(job));
  try {
    run.run();
  } catch (const std::exception& error) {
    return error.what();
  }
  statistics = run.world.statistics(0);
  return memory.mistake();
}

inline std::string mistake(const Algorithm& algorithm, Call call, const Setting& on,
                           JobStatistics& statistics) {
  return mistake(algorithm, Calls(on.nodes.size(), call), on, statistics);
}

inline void prove(const Algorithm& algorithm, const Calls& calls, std::uint64_t seed) {
  const auto ranks = static_cast<int>(calls.size());
  JobStatistics ignored;
  const std::string found = mistake(algorithm, calls, Setting(ranks, seed), ignored);
  if (!found.empty())
    check::fail(__FILE__, __LINE__,
                algorithm.operation + "/" + algorithm.name + " of " + std::to_string(ranks) +
                    " ranks, " + std::to_string(calls[0].bytes) + " bytes, root " +
                    std::to_string(calls[0].root) + ", seed " + std::to_string(seed) + ": " +
                    found);
}

inline void prove(const Algorithm& algorithm, int ranks, Call call, std::uint64_t seed) {
  prove(algorithm, Calls(ranks, call), seed);
}

inline bool has_root(const std::string& operation) {
  return trace::row_of(collective_of(operation)).rooted();
}

inline std::set<int> roots(const std::string& operation, int ranks) {
  if (!has_root(operation)) return {0};
  return {0, 1 % ranks, ranks / 2, ranks - 1};
}

}  // namespace odonata::tests
