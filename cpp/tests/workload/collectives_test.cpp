// Every algorithm, at every count: right to the byte, whatever the timing, and with as many
// messages as its formula says.
#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

#include "check.hpp"
#include "odonata/units/errors.hpp"
#include "odonata/workload/layout.hpp"
#include "odonata/workload/selection.hpp"
#include "proving.hpp"

namespace odonata::tests::collectives_test {
namespace {

using trace::Collective;

// Every setting comes up: 60 seeds, of which each call takes a few in turn.
void prove_at(int ranks, std::initializer_list<Bytes> sizes) {
  std::uint64_t seed = static_cast<std::uint64_t>(ranks);
  for (const Algorithm& algorithm : algorithms())
    for (const Bytes bytes : sizes)
      for (const int root : roots(algorithm.operation, ranks))
        prove(algorithm, ranks, {bytes, root}, ++seed % 60);
}

// ---- every algorithm moves every byte to its place

TEST("collectives/right at every count from 1 to 33") {
  for (int ranks = 1; ranks <= 33; ++ranks) prove_at(ranks, {0, 1, 3, 1, 64, 3});
}

TEST("collectives/right with blocks of 1,024 bytes") {
  for (const int ranks : {1, 2, 3, 7, 8, 13, 24, 33}) prove_at(ranks, {1024, 1024});
}

TEST("collectives/right at 64, 100 and 128 ranks") {
  for (const int ranks : {64, 100, 128}) prove_at(ranks, {0, 1, 3});
}

TEST("collectives/right in every setting, from every root") {
  for (const Algorithm& algorithm : algorithms())
    for (std::uint64_t seed = 0; seed < 60; ++seed)
      prove(algorithm, 11, {700, has_root(algorithm.operation) ? static_cast<int>(seed % 11) : 0},
            seed);
}

// Algorithms with values of their parameters.
constexpr std::pair<const char*, const char*> tuned[] = {
    {"allgather", "k_bruck:3"},
    {"allgather", "k_bruck:4"},
    {"allgather", "k_bruck:7"},
    {"allgather", "k_bruck:64"},
    {"allreduce", "bine_reduce_scatter_allgather:1"},
    {"allreduce", "bine_reduce_scatter_allgather:3B"},
    {"allreduce", "ring_segmented:1"},
    {"allreduce", "ring_segmented:7"},
    {"bcast", "binary:1"},
    {"bcast", "binomial_growing:7"},
    {"bcast", "knomial:7"},
    {"bcast", "chain:7"},
    {"bcast", "pipeline:7"},
    {"bcast", "split_binary:1"},
    {"bcast", "split_binary:7"},
    {"gather", "linear_sync:7"},
    {"reduce", "binary:7"},
    {"reduce", "in_order_binary:1"},
    {"reduce", "in_order_binary:7"},
    {"reduce", "binomial_ahead:7"},
    {"reduce", "chain:7"},
    {"reduce", "pipeline:7"},
};

TEST("collectives/right with other values of parameters") {
  for (const auto& [operation, name] : tuned)
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 27, 32, 33, 64})
      for (const Bytes bytes : {0, 1, 3, 40, 1024})
        for (const int root : roots(operation, ranks))
          prove(algorithm(operation, name), ranks, {bytes, root},
                static_cast<std::uint64_t>(ranks + bytes) % 60);
}

TEST("collectives/a result that is wrong is noticed") {
  const Algorithm reversed{
      "allgather", "reversed", "", [](Rank rank, Call call) {
        return algorithm("allgather", "ring").run(std::move(rank), {call.bytes - 1, 0});
      }};
  JobStatistics ignored;
  CHECK_EQUAL(mistake(reversed, {8, 0}, Setting(4, 0), ignored),
              std::string("output of rank 0 at byte 7 is not what it must be"));
  const Algorithm idle{"bcast", "idle", "", [](Rank rank, Call) {
                         return algorithm("barrier", "dissemination").run(std::move(rank), {});
                       }};
  CHECK_EQUAL(mistake(idle, {8, 1}, Setting(4, 0), ignored),
              std::string("output of rank 0 at byte 0 was never written"));
}

// ---- messages and bytes, as the registry has them

void count(const Algorithm& algorithm, int ranks, Bytes bytes) {
  JobStatistics counted;
  Setting on(ranks, 2);
  CHECK_EQUAL(mistake(algorithm, {bytes, ranks / 3}, on, counted), std::string());
  const std::string name = algorithm.operation + "/" + algorithm.name;
  const Sent must = algorithm.sent(ranks, bytes, ranks / 3);
  const bool same_bytes = must.bytes == Sent::unknown || counted.bytes == must.bytes;
  if (counted.messages != must.messages || !same_bytes)
    check::fail(__FILE__, __LINE__,
                name + " of " + std::to_string(ranks) +
                    " ranks: " + std::to_string(counted.messages) + " messages of " +
                    std::to_string(counted.bytes) + " bytes, not " +
                    std::to_string(static_cast<std::int64_t>(must.messages)) + " of " +
                    std::to_string(static_cast<std::int64_t>(must.bytes)));
}

TEST("collectives/as many messages and bytes as the formulas say") {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 64, 100})
    for (const Bytes bytes : {0, 5, 40}) {
      for (const Algorithm& algorithm : algorithms()) count(algorithm, ranks, bytes);
      for (const auto& [operation, name] : tuned) count(algorithm(operation, name), ranks, bytes);
    }
}

// ---- algorithms that know the machine

// Messages of a run of 50 ranks between different groups (routers), as pairs of ranks.
struct Flows {
  Setting on{50, 7};
  JobStatistics statistics;

  Flows(const std::string& operation, const std::string& name, Call call) {
    on.repetitions = 1;
    CHECK_EQUAL(mistake(algorithm(operation, name), call, on, statistics), std::string());
  }
  [[nodiscard]] int router(int rank) const {
    const std::int32_t node = on.nodes[rank];
    return on.machine.node_router[node];
  }
  [[nodiscard]] int group(int rank) const { return on.machine.group_of(router(rank)); }
  [[nodiscard]] int num_groups() const {
    std::set<int> all;
    for (int r = 0; r < 50; ++r) all.insert(group(r));
    return static_cast<int>(all.size());
  }
  [[nodiscard]] int num_routers() const {
    std::set<int> all;
    for (int r = 0; r < 50; ++r) all.insert(router(r));
    return static_cast<int>(all.size());
  }
};

TEST("allgather/tar crosses to another group, and router, as seldom as a ring can") {
  const Flows flows("allgather", "tar", {4, 0});
  std::map<int, int> right;
  for (const MessageRecord& m : flows.statistics.records) right[m.from] = m.to;
  int between_groups = 0, between_routers = 0;
  for (const auto& [from, to] : right) {
    between_groups += flows.group(from) != flows.group(to);
    between_routers += flows.router(from) != flows.router(to);
  }
  CHECK_EQUAL(right.size(), 50U);
  CHECK_EQUAL(between_groups, flows.num_groups());
  CHECK_EQUAL(between_routers, flows.num_routers());
}

TEST("scatter/glf enters every other group once, from the root") {
  const Flows flows("scatter", "glf", {4, 20});
  int between_groups = 0, between_routers = 0;
  for (const MessageRecord& m : flows.statistics.records) {
    between_routers += flows.router(m.from) != flows.router(m.to);
    if (flows.group(m.from) == flows.group(m.to)) continue;
    ++between_groups;
    CHECK_EQUAL(m.from, 20);
  }
  CHECK_EQUAL(between_groups, flows.num_groups() - 1);
  CHECK_EQUAL(between_routers, flows.num_routers() - 1);
}

TEST("scatter/llf enters every other group once, from a router of the root's group") {
  const Flows flows("scatter", "llf", {4, 20});
  int between_groups = 0, between_routers = 0;
  std::set<int> servers;
  for (const MessageRecord& m : flows.statistics.records) {
    between_routers += flows.router(m.from) != flows.router(m.to);
    if (flows.group(m.from) == flows.group(m.to)) continue;
    ++between_groups;
    servers.insert(flows.router(m.from));
    CHECK_EQUAL(flows.group(m.from), flows.group(20));
  }
  CHECK_EQUAL(between_groups, flows.num_groups() - 1);
  CHECK_EQUAL(between_routers, flows.num_routers() - 1);
  CHECK(servers.size() > 1);
}

TEST("scatter/linear sends in an order that the seed decides") {
  const auto order = [](std::uint64_t seed) {
    Setting on(40, seed);
    on.options = with_costs();  // sends follow each other
    on.repetitions = 1;
    JobStatistics statistics;
    CHECK_EQUAL(mistake(algorithm("scatter", "linear"), {8, 3}, on, statistics), std::string());
    std::map<Time, int> sent;
    for (const MessageRecord& m : statistics.records) sent[m.sent] = m.to;
    std::vector<int> targets;
    for (const auto& [time, to] : sent) targets.push_back(to);
    return targets;
  };
  CHECK_EQUAL(order(1).size(), 39U);
  CHECK(order(1) == order(1));
  CHECK(order(1) != order(2));
}

// ---- communicators

// Ranks of a job under the numbers that they have in communicators of half its ranks each.
class Halves final : public Memory {
 public:
  Halves(const std::string& operation, int ranks, Call call)
      : half_{SymbolicMemory(operation, ranks, call), SymbolicMemory(operation, ranks, call)},
        ranks_(ranks) {}
  Payload read(std::int32_t rank, const Span& from) override {
    return of(rank).read(number(rank), from);
  }
  void write(std::int32_t rank, const Span& to, const Payload& payload) override {
    of(rank).write(number(rank), to, payload);
  }
  void combine(std::int32_t rank, const Span& to, const Payload& payload) override {
    of(rank).combine(number(rank), to, payload);
  }
  [[nodiscard]] std::string mistake() const { return half_[0].mistake() + half_[1].mistake(); }

  // The even ranks downwards, the odd ranks upwards.
  [[nodiscard]] static std::vector<int> members(int half, int ranks) {
    std::vector<int> all;
    for (int i = 0; i < ranks; ++i) all.push_back(half == 0 ? 2 * (ranks - 1 - i) : 2 * i + 1);
    return all;
  }

 private:
  SymbolicMemory& of(std::int32_t rank) { return half_[rank % 2]; }
  [[nodiscard]] int number(std::int32_t rank) const {
    return rank % 2 == 0 ? ranks_ - 1 - rank / 2 : rank / 2;
  }

  std::array<SymbolicMemory, 2> half_;
  int ranks_;
};

TEST("collectives/right on two communicators at once") {
  for (const Algorithm& algorithm : algorithms())
    for (const int ranks : {1, 2, 7, 16}) {
      const Call call{5, has_root(algorithm.operation) ? ranks / 2 : 0};
      Halves memory(algorithm.operation, ranks, call);
      const Setting on(2 * ranks, 6);
      InstantWorld run(on.machine, on.options, on.seed);
      JobSpec job;
      job.nodes = on.nodes;
      job.memory = &memory;
      job.program = [&](const Rank& rank) {
        return algorithm.run(rank.on(Halves::members(rank.index() % 2, ranks), 1), call);
      };
      run.world.add(std::move(job));
      run.run();
      CHECK_EQUAL(algorithm.name + memory.mistake(), algorithm.name);
    }
}

// ---- the barrier

Task come_and_go(Rank rank, std::vector<Time>& come, std::vector<Time>& gone) {
  const auto me = static_cast<std::size_t>(rank.index());
  co_await rank.compute(static_cast<Time>(rank.draws(Purpose::shuffle).below(0, 5000)));
  come[me] = rank.now();
  Task barrier = algorithm("barrier", "dissemination").run(rank, {});
  co_await barrier;
  gone[me] = rank.now();
}

TEST("barrier/no rank leaves before all have come") {
  for (int ranks = 1; ranks <= 33; ++ranks) {
    const Setting on(ranks, static_cast<std::uint64_t>(ranks));
    std::vector<Time> come(on.nodes.size()), gone(on.nodes.size());
    InstantWorld run(on.machine, on.options, on.seed, 10);
    JobSpec job;
    job.nodes = on.nodes;
    job.program = [&](Rank rank) { return come_and_go(std::move(rank), come, gone); };
    run.world.add(std::move(job));
    run.run();
    CHECK(*std::max_element(come.begin(), come.end()) <=
          *std::min_element(gone.begin(), gone.end()));
  }
}

// ---- the registry

std::string message_of(const std::string& operation, const std::string& name) {
  try {
    static_cast<void>(algorithm(operation, name));
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST("registry/names are unique and an unknown one is refused with the nearest") {
  std::set<std::string> names;
  for (const Algorithm& a : algorithms()) names.insert(a.operation + "/" + a.name);
  CHECK_EQUAL(names.size(), algorithms().size());
  CHECK_EQUAL(message_of("scatter", "bynomial"),
              std::string("algorithm of scatter: unknown: 'bynomial'; did you mean 'binomial'?; "
                          "allowed: linear, binomial, glf, llf, bine_tree, "
                          "linear_in_turn, linear_in_order, auto"));
  std::string known;
  for (const auto& row : trace::collective_operations)
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  CHECK(known.starts_with("allgather, allgatherv, scatter, "));
  CHECK_EQUAL(message_of("alltoal", "bruck"),
              "operation: unknown: 'alltoal'; did you mean 'alltoall'?; allowed: " + known);
  CHECK_EQUAL(
      message_of("gather", "xyz"),
      std::string("algorithm of gather: unknown: 'xyz'; allowed: linear, binomial, bine_tree, "
                  "linear_in_turn, linear_sync, auto"));
}

TEST("registry/a name may have a value of the algorithm's parameter") {
  CHECK_EQUAL(algorithm("allgather", "k_bruck:4").name, std::string("k_bruck:4"));
  CHECK_EQUAL(&algorithm("allgather", "k_bruck:4"), &algorithm("allgather", "k_bruck:4"));
  // 16 ranks: two steps of 3 messages at once, not four steps of one.
  const auto of_sixteen = [](const std::string& name) {
    return static_cast<int>(algorithm("allgather", name).sent(16, 8, 0).messages);
  };
  CHECK_EQUAL(of_sixteen("k_bruck"), 16 * 4);
  CHECK_EQUAL(of_sixteen("k_bruck:4"), 16 * 6);
  const std::string segmented = "bine_reduce_scatter_allgather";
  const auto messages = [&](const std::string& segment) {
    const Sent sent = algorithm("allreduce", segmented + segment).sent(4, 1 << 20, 0);
    return static_cast<int>(sent.messages);
  };
  CHECK_EQUAL(messages(""), 4 * 4);
  CHECK_EQUAL(messages(":256KiB"), 4 * 5);  // halves of 512 KiB, quarters of 256 KiB
  CHECK_EQUAL(messages(":262144"), 4 * 5);
  CHECK_EQUAL(messages(":1MiB"), 4 * 4);
  CHECK_EQUAL(message_of("allgather", "k_bruck:1"),
              std::string("algorithm allgather/k_bruck: '1'; allowed: a radix of at least 2"));
  CHECK_EQUAL(message_of("allreduce", segmented + ":64KB"),
              "algorithm allreduce/" + segmented +
                  ": '64KB'; allowed: a size of at least 1B, such as 64KiB");
  CHECK_EQUAL(message_of("allgather", "ring:4"),
              std::string("algorithm allgather/ring: takes no parameter: '4'; allowed: ring"));
}

TEST("registry/auto changes its mind where MPICH does") {
  const Selection s;
  CHECK_EQUAL(select(s, Collective::allgather, 512, {1023}), std::string("recursive_doubling"));
  CHECK_EQUAL(select(s, Collective::allgather, 512, {1024}), std::string("ring"));
  CHECK_EQUAL(select(s, Collective::allgather, 80, {1023}), std::string("bruck"));
  CHECK_EQUAL(select(s, Collective::allgather, 80, {1024}), std::string("ring"));
  CHECK_EQUAL(select(s, Collective::alltoall, 8, {256}), std::string("bruck"));
  CHECK_EQUAL(select(s, Collective::alltoall, 7, {256}), std::string("scattered"));
  CHECK_EQUAL(select(s, Collective::alltoall, 8, {32768}), std::string("scattered"));
  CHECK_EQUAL(select(s, Collective::alltoall, 8, {32769}), std::string("pairwise"));
  CHECK_EQUAL(select(s, Collective::allreduce, 16, {2048}), std::string("recursive_doubling"));
  CHECK_EQUAL(select(s, Collective::allreduce, 16, {2056}),
              std::string("reduce_scatter_allgather"));
  CHECK_EQUAL(select(s, Collective::allreduce, 4096, {32760}), std::string("recursive_doubling"));
  CHECK_EQUAL(select(s, Collective::allreduce, 4096, {32768}),
              std::string("reduce_scatter_allgather"));
  CHECK_EQUAL(select(s, Collective::bcast, 8, {12287}), std::string("binomial"));
  CHECK_EQUAL(select(s, Collective::bcast, 8, {12288}), std::string("scatter_allgather"));
  CHECK_EQUAL(select(s, Collective::bcast, 7, {1 << 20}), std::string("binomial"));
  CHECK_EQUAL(select(s, Collective::reduce, 16, {2048}), std::string("binomial"));
  CHECK_EQUAL(select(s, Collective::reduce, 16, {2056}), std::string("reduce_scatter_gather"));
  CHECK_EQUAL(select(s, Collective::reduce, 4096, {32760}), std::string("binomial"));
  CHECK_EQUAL(select(s, Collective::reduce_scatter_block, 512, {1023}),
              std::string("recursive_halving"));
  CHECK_EQUAL(select(s, Collective::reduce_scatter_block, 512, {1024}), std::string("pairwise"));
  for (const Algorithm& a : algorithms())
    CHECK_EQUAL(algorithm(a.operation, select(s, collective_of(a.operation), 6, {1000})).operation,
                a.operation);
  CHECK_THROWS(UserError, collective_of("allgathr"));
}

}  // namespace
}  // namespace odonata::tests::collectives_test
