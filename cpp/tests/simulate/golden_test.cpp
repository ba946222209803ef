// The event log of one small run, hashed: it may not depend on the build, the machine at hand or
// the order of insertions. A change that alters these digests changes results: say so in CHANGELOG.
#include <numeric>

#include "check.hpp"
#include "odonata/machine/families/dragonfly/dragonfly.hpp"
#include "odonata/simulate/simulation.hpp"
#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/program.hpp"
#include "odonata/workload/traffic.hpp"

namespace odonata::tests::golden_test {

namespace {

struct Golden {
  const char* routing;
  std::uint64_t digest;
};

constexpr Golden golden[] = {
#include "golden.inc"
};

std::shared_ptr<const Machine> machine() {
  LinkClass link;
  link.bandwidth = {5'250'000'000};
  link.latency = 10'000;
  link.buffer_bytes = 4096;
  link.credit_delay = 10'000;
  Dragonfly d;
  d.basics = {"golden", 1, 100'000, 1'000, {10'000'000'000}};
  d.nodes_per_router = 2, d.routers_per_group = 4, d.global_links_per_router = 2, d.groups = 9;
  d.injection = d.ejection = d.local = d.global = link;
  d.global.bandwidth = {4'700'000'000};
  return std::make_shared<const Machine>(make_dragonfly(d));
}

// An alltoall on half of the nodes with traffic among the others.
std::uint64_t digest(const std::string& routing, std::uint64_t shuffled) {
  SimulationOptions options;
  options.seed = options.engine.routing.seed = 7;
  options.engine.routing.policy = routing;
  options.digest = true;
  options.shuffle_insertions = shuffled;
  const auto made = machine();
  Simulation simulation(made, options);
  std::vector<std::int32_t> front(36), rest(36);
  std::iota(front.begin(), front.end(), 0);
  std::iota(rest.begin(), rest.end(), 36);
  simulation.add({front, repeat(algorithm("alltoall", "pairwise"), {3000, 0}, 2)});
  const Traffic behind{make_pattern({}, *made, rest, 7), 0.7, 1024, 0, false};
  simulation.add({rest, [behind](Rank rank) { return traffic(std::move(rank), behind); }, true});
  CHECK(simulation.run());
  return simulation.log().digest;
}

}  // namespace

TEST("simulate/the event log is the golden one") {
  for (const Golden& g : golden) {
    CHECK_EQUAL(digest(g.routing, 0), g.digest);
    CHECK_EQUAL(digest(g.routing, 3), g.digest);
  }
}

}  // namespace odonata::tests::golden_test
