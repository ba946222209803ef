// Orders of ranks: increments against sums, the search against all orders.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "odonata/decide/hop_bytes.hpp"
#include "odonata/decide/mapper.hpp"
#include "odonata/decide/nodes.hpp"
#include "odonata/machine/families/aries/aries.hpp"
#include "odonata/machine/families/fat_tree/fat_tree.hpp"
#include "odonata/machine/families/hyperx/hyperx.hpp"
#include "odonata/random/draws.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::mapper_test {

namespace {

const LinkClass fast{"", {2'000'000'000}, 1'000, 4'096, 1'000};
const LinkClass slow{"", {500'000'000}, 1'000, 4'096, 1'000};
const Basics basics{"test", 4, 1'000, 1'000, {1'000'000'000}};

// Routers in a row of `size`, all joined; two nodes each.
std::shared_ptr<const Machine> row(std::int32_t size) {
  LinkClass along = slow;
  along.name = "x";
  return std::make_shared<const Machine>(make_hyperx({basics, {size}, 2, {}, fast, fast, {along}}));
}

std::shared_ptr<const Machine> groups() {
  Aries a;
  a.basics = basics;
  a.groups = 2, a.rows = 2, a.columns = 3;
  a.nodes_per_router = 4, a.black_links_per_router_pair = 2, a.blue_links_per_group_pair = 3;
  a.injection = a.ejection = a.green = a.black = fast;
  a.blue = slow;
  return std::make_shared<const Machine>(make_aries(a));
}

// Whole numbers of bytes between drawn pairs of ranks.
CommunicationMatrix drawn(std::int32_t ranks, int entries, std::uint64_t seed) {
  const Draws draws(seed, Purpose::shuffle, 1);
  const auto n = static_cast<std::uint32_t>(ranks);
  std::vector<std::int32_t> from, to;
  std::vector<double> bytes;
  for (std::uint64_t i = 0; i < 3U * static_cast<unsigned>(entries); i += 3) {
    from.push_back(static_cast<std::int32_t>(draws.below(i, n)));
    to.push_back(static_cast<std::int32_t>(draws.below(i + 1, n)));
    bytes.push_back(draws.below(i + 2, 1'000));
  }
  return {ranks, from, to, bytes};
}

std::vector<std::int32_t> nodes_of(int slots, int each) {
  std::vector<std::int32_t> nodes;
  for (int slot = 0; slot < slots; ++slot) nodes.push_back(slot / each);
  return nodes;
}

RankSlots shuffled(std::int32_t ranks, std::uint64_t seed) {
  RankSlots slots(ranks);
  std::iota(slots.begin(), slots.end(), 0);
  shuffle(slots, Draws(seed, Purpose::shuffle, 2));
  return slots;
}

// The slow twin: all messages, one by one, over the links between their nodes.
double slow_hop_bytes(const Machine& machine, const std::vector<std::int32_t>& node_of,
                      const CommunicationMatrix& matrix, const RankSlots& slots) {
  const auto routing = make_routing(machine, {});
  double sum = 0;
  for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank)
    for (const Partner& to : matrix.sent(rank)) {
      const std::int32_t a = node_of[slots[rank]], b = node_of[slots[to.rank]];
      const int hops = routing->distance(machine.node_router[a], machine.node_router[b]);
      sum += a == b ? 0 : to.bytes * (hops + 2);
    }
  return sum;
}

constexpr double any = -1e300;  // a gain that all are larger than

// The sum that a search by the busiest link lowers, relative to the largest time of `first`.
double sum_of_eighths(const Machine& machine, const std::vector<double>& first,
                      const std::vector<double>& loads) {
  double largest = 0, sum = 0;
  const auto seconds = [&](std::size_t link, double bytes) {
    const auto number = static_cast<std::int32_t>(link);
    return bytes / static_cast<double>(machine.class_of(number).bandwidth.bytes_per_second);
  };
  for (std::size_t i = 0; i < first.size(); ++i) largest = std::max(largest, seconds(i, first[i]));
  for (std::size_t i = 0; i < loads.size(); ++i) sum += std::pow(seconds(i, loads[i]) / largest, 8);
  return sum;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), 1e-12); }

}  // namespace

TEST("decide/nodes near a node have few links to it, and then numbers near its own") {
  // Nodes 4 and 5 are on one router, and one link joins it to each of the four others.
  const SlotNodes nodes(*row(5), nodes_of(10, 1));
  CHECK((nodes.near(4) == std::vector<std::int32_t>{4, 5, 3, 2, 6, 1, 7, 0}));
}

TEST("decide/a matrix adds up the entries of a pair and leaves out what stays at a rank") {
  const CommunicationMatrix matrix(3, {0, 2, 0, 1, 1}, {1, 0, 1, 1, 0}, {3, 5, 4, 9, 2});
  CHECK_EQUAL(matrix.sent(0).size(), 1U);
  CHECK_EQUAL(matrix.sent(0)[0].bytes, 7.0);
  CHECK_EQUAL(matrix.received(0).size(), 2U);
  CHECK_EQUAL(matrix.partners(0)[0].bytes, 9.0);  // both directions
  CHECK_EQUAL(matrix.partners(1).size(), 1U);
  CHECK_THROWS(UserError, CommunicationMatrix(2, {0}, {2}, {1}));
  CHECK_THROWS(UserError, CommunicationMatrix(2, {0}, {1}, {-1}));
  CHECK_THROWS(UserError, CommunicationMatrix(2, {0}, {1}, {std::nan("")}));
}

TEST("decide/hop-bytes by hand: in a node none, on a router two links, between routers three") {
  const Mapper mapper(row(2), {0, 0, 1, 2}, {4, {0, 0, 0}, {1, 2, 3}, {1, 10, 100}});
  CHECK_EQUAL(mapper.hop_bytes({0, 1, 2, 3}), 10 * 2 + 100 * 3.0);
  CHECK_EQUAL(mapper.hop_bytes({0, 3, 2, 1}), 1 * 3 + 10 * 2.0);
  CHECK_THROWS(UserError, mapper.hop_bytes({0, 1, 2, 2}));
  CHECK_THROWS(UserError, mapper.hop_bytes({0, 1, 2}));
}

TEST("decide/the busiest link by hand: a slow link between two routers carries both messages") {
  // Ranks 0 and 1 on the nodes of router 0 send to rank 2 on router 1: 300 B over 500 MB/s.
  const Mapper mapper(row(2), {0, 1, 2, 3}, {4, {0, 1, 2}, {2, 2, 0}, {100, 200, 50}});
  CHECK(near(mapper.max_link_seconds({0, 1, 2, 3}), 300 / 5e8));
  const std::vector<double> loads = mapper.loads({0, 1, 2, 3});
  CHECK_EQUAL(loads[0], 100.0);      // injection of node 0
  CHECK_EQUAL(loads[4 + 2], 300.0);  // ejection of node 2
  CHECK_EQUAL(loads[8], 300.0);      // router 0 to 1
  CHECK_EQUAL(loads[9], 50.0);       // and back
  // Ranks 1 and 2 on router 0: its links to the other one carry 100 and 50 B; the node of rank 2
  // receives 300 B over 2 GB/s, which takes 150 ns, and 100 B over 500 MB/s take 200 ns.
  CHECK(near(mapper.max_link_seconds({2, 1, 0, 3}), 100 / 5e8));
}

TEST("decide/the busiest link may be the first one: a node sends 340 B at 2 GB/s") {
  // Node 1 receives 300 of these, and the link to the other router carries 40 B at 500 MB/s.
  const Mapper mapper(row(2), {0, 1, 2}, {3, {0, 0}, {1, 2}, {300, 40}});
  CHECK(near(mapper.max_link_seconds({0, 1, 2}), 340 / 2e9));
}

TEST("decide/slots are on nodes of the machine") {
  CHECK_THROWS(UserError, SlotNodes(*row(2), {0, 4}));
  CHECK_THROWS(UserError, SlotNodes(*row(2), {-1, 0}));
}

TEST("decide/gains are differences of costs, and swaps keep the sums") {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto machine = groups();
    const std::vector<std::int32_t> node_of = nodes_of(24, 1);
    const CommunicationMatrix matrix = drawn(24, 80, seed);
    const SlotNodes nodes(*machine, node_of);
    RankSlots start(24);
    std::iota(start.begin(), start.end(), 0);
    HopBytes bytes(matrix, nodes, start);
    LinkParts parts(*machine);
    MaxLink busiest(matrix, nodes, parts, start);
    const Draws draws(seed, Purpose::shuffle, 3);
    for (std::uint64_t i = 0; i < 100; i += 2) {
      const auto a = static_cast<std::int32_t>(draws.below(i, 24));
      const auto b = static_cast<std::int32_t>(draws.below(i + 1, 24));
      const double before = bytes.cost(), gain = bytes.gain(a, b, any);
      const std::vector<double> loads = busiest.loads();
      (void)busiest.gain(a, b, any);
      CHECK(busiest.loads() == loads);  // a trial leaves nothing behind
      bytes.swap(a, b);
      busiest.swap(a, b);
      CHECK_EQUAL(before - bytes.cost(), gain);
      CHECK_EQUAL(bytes.cost(), slow_hop_bytes(*machine, node_of, matrix, bytes.slots()));
    }
    CHECK(near(MaxLink(matrix, nodes, parts, busiest.slots()).cost(), busiest.cost()));
  }
}

TEST("decide/gains of the busiest link are differences of its sum, as far as they are wanted") {
  const auto machine = groups();
  const SlotNodes nodes(*machine, nodes_of(24, 1));
  LinkParts parts(*machine);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const CommunicationMatrix matrix = drawn(24, 80, seed);
    MaxLink busiest(matrix, nodes, parts, shuffled(24, seed));
    const std::vector<double> first = busiest.loads();
    (void)busiest.begin_round();
    int gains = 0;
    for (std::int32_t pair = 0; pair < 120; ++pair) {
      const std::int32_t a = pair / 12, b = (a + 1 + pair % 12 * 5) % 24;
      RankSlots swapped = busiest.slots();
      std::swap(swapped[a], swapped[b]);
      const std::vector<double> loads = MaxLink(matrix, nodes, parts, swapped).loads();
      const double gain =
          sum_of_eighths(*machine, first, first) - sum_of_eighths(*machine, first, loads);
      CHECK(std::abs(busiest.gain(a, b, any) - gain) < 1e-9);
      CHECK(std::abs(busiest.gain(a, b, gain - 1e-3) - gain) < 1e-9);
      CHECK(busiest.gain(a, b, gain + 1e-3) <= gain + 1e-3);
      if (gain > 1e-3) ++gains;
      if (pair % 30 == 29) CHECK(busiest.loads() == first);
    }
    CHECK(gains > 0);
  }
}

TEST("decide/a round tries the ranks of the busiest link first") {
  const auto machine = row(2);
  const CommunicationMatrix matrix(4, {0, 2}, {1, 3}, {1, 100});
  const SlotNodes nodes(*machine, nodes_of(4, 1));
  LinkParts parts(*machine);
  CHECK(MaxLink(matrix, nodes, parts, {0, 1, 2, 3}).begin_round() == RankSlots{2, 3, 0, 1});
}

TEST("decide/a price between two nodes follows the prices of their links") {
  const auto machine = row(2);
  LinkParts parts(*machine);
  const SlotNodes nodes(*machine, {0, 1, 2});
  PairPrices prices(nodes, parts);
  // Four links into the network, four out of it, then router 0 to 1 and back.
  prices.set({1, 2, 4, 8, 16, 32, 64, 128, 256, 512});
  CHECK_EQUAL(prices.between(0, 0), 0.0);
  CHECK_EQUAL(prices.between(0, 1), 1 + 32.0);
  CHECK_EQUAL(prices.between(0, 2), 1 + 256 + 64.0);
  CHECK_EQUAL(prices.between(2, 0), 4 + 512 + 16.0);
  CHECK_EQUAL(prices.between(0, 2), 1 + 256 + 64.0);
  prices.set(std::vector<double>(10, 1));
  CHECK_EQUAL(prices.between(0, 2), 3.0);
  CHECK(prices.known());
  // On an Aries machine some of the eight routes between two groups take a link: all prices of one
  // are the links of a route, two more than its hops.
  const auto wide = groups();
  LinkParts drawn_parts(*wide);
  const SlotNodes ends(*wide, {0, 47});
  PairPrices ones(ends, drawn_parts);
  ones.set(std::vector<double>(wide->num_links(), 1));
  CHECK(ones.between(0, 1) >= 2 + 1 && ones.between(0, 1) <= 2 + 5);
}

TEST("decide/of trials with many messages those stay that seem to gain most") {
  std::vector<std::int32_t> from, to;
  for (std::int32_t rank = 0; rank < 64; ++rank)
    for (std::int32_t other = 0; other < 64; ++other) from.push_back(rank), to.push_back(other);
  std::vector<double> bytes(from.size(), 1);
  const auto machine = row(32);
  const SlotNodes nodes(*machine, nodes_of(64, 1));
  LinkParts parts(*machine);
  const std::vector<std::int32_t> all = shuffled(64, 1);
  for (const bool receives : {false, true}) {
    std::vector<double> heavy = bytes;
    heavy[receives ? 40 * 64 + 1 : 1 * 64 + 40] = 1e6;  // between ranks 1 and 40
    const CommunicationMatrix matrix(64, from, to, heavy);
    RankSlots start(64);
    std::iota(start.begin(), start.end(), 0);
    MaxLink busiest(matrix, nodes, parts, start);
    (void)busiest.begin_round();
    std::vector<std::int32_t> others = all;
    std::erase(others, 1);
    busiest.shorten(1, others);
    CHECK_EQUAL(others.size(), 8U);       // each moves 504 of 4,096 messages
    CHECK_EQUAL(others.front(), 41);      // on the router of rank 40: the slow link is free
    CHECK(busiest.gain(1, 41, any) > 0.9);
    others = all;
    std::erase(others, 0);
    busiest.shorten(0, others);
    CHECK_EQUAL(others.front(), 40);  // comes next to rank 1
  }
  const CommunicationMatrix few(64, {0, 1}, {1, 2}, {1, 2});
  MaxLink busiest(few, nodes, parts, all);
  (void)busiest.begin_round();
  std::vector<std::int32_t> others = all;
  busiest.shorten(1, others);
  CHECK(others == all);  // all are tried, in this order
}

TEST("decide/guesses go by the time of links, not by their bytes") {
  // Rank 1 sends 1 MB to rank 40 over a slow link, and 1.9 MB to rank 2 on the next node over the
  // links of two nodes, which need less time. To be on the node of rank 2 saves more bytes; to be
  // on the node of rank 40 saves the busiest link, and that the other messages take one as slow is
  // for the trial to find out.
  const auto machine = row(16);
  const SlotNodes nodes(*machine, nodes_of(64, 2));
  LinkParts parts(*machine);
  std::vector<std::int32_t> from{1, 1}, to{40, 2};
  std::vector<double> bytes{1e6, 1.9e6};
  for (std::int32_t rank = 0; rank < 64; ++rank)
    for (std::int32_t other = 0; other < 64; ++other)
      from.push_back(rank), to.push_back(other), bytes.push_back(1);
  const CommunicationMatrix matrix(64, from, to, bytes);
  RankSlots others(64);
  std::iota(others.begin(), others.end(), 0);
  MaxLink busiest(matrix, nodes, parts, others);
  (void)busiest.begin_round();
  std::erase(others, 1);
  busiest.shorten(1, others);
  CHECK_EQUAL(others.front(), 41);
}

TEST("decide/a search of a dense matrix, which tries few swaps of a rank, gains a tenth") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Mapper mapper(groups(), nodes_of(48, 2), drawn(48, 2'000, seed));
    const RankSlots start = shuffled(48, seed);
    const RankSlots found = mapper.improved("max-link", start, {seed, 50});
    CHECK(mapper.max_link_seconds(found) < 0.9 * mapper.max_link_seconds(start));
    CHECK(mapper.improved("max-link", start, {seed, 50}) == found);
  }
}

TEST("decide/nodes of two routers share their links on an Aries machine") {
  const auto machine = groups();
  LinkParts parts(*machine);
  const auto listed = [&](std::int32_t from, std::int32_t to) {
    std::vector<std::pair<std::int32_t, float>> links;
    for (const LinkPart& one : parts.between(from, to)) links.emplace_back(one.link, one.part);
    return links;
  };
  CHECK(listed(0, 1).empty());  // one router
  CHECK(listed(0, 47) == listed(3, 44));
  CHECK(listed(0, 47) != listed(47, 0));
  float leaves = 0;
  for (const auto& [link, part] : listed(0, 47))
    if (machine->links[link].from == 0) leaves += part;
  CHECK(std::abs(leaves - 1) < 1e-6F);
  const auto links = listed(0, 47);  // of three blue links several are taken
  CHECK(std::ranges::any_of(links, [](const auto& one) { return one.second < 1; }));
}

TEST("decide/nodes of one leaf have links of their own where a route depends on them") {
  // Two leaves of two nodes under two roots: d-mod-k takes the root of the node that it goes to.
  FatTree tree;
  tree.basics = basics;
  tree.down = {2, 2}, tree.up = {2};
  tree.injection = tree.ejection = fast;
  tree.cables = {slow};
  tree.cables.front().name = "uplink1";
  const Machine machine = make_fat_tree(tree);
  LinkParts parts(machine);
  const auto listed = [&](std::int32_t from, std::int32_t to) {
    std::vector<std::int32_t> links;
    for (const LinkPart& one : parts.between(from, to)) links.push_back(one.link);
    return links;
  };
  CHECK_EQUAL(listed(0, 2).size(), 2U);  // up and down
  CHECK(listed(0, 2) != listed(0, 3));
  CHECK(listed(0, 2) == listed(1, 2));
}

TEST("decide/the search over all orders finds what every order tried one by one gives") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const CommunicationMatrix matrix = drawn(6, 12, seed);
    const Mapper mapper(groups(), {0, 4, 5, 20, 29, 40}, matrix);
    RankSlots slots(6);
    std::iota(slots.begin(), slots.end(), 0);
    double bytes = mapper.hop_bytes(slots), seconds = mapper.max_link_seconds(slots);
    while (std::ranges::next_permutation(slots).found) {
      bytes = std::min(bytes, mapper.hop_bytes(slots));
      seconds = std::min(seconds, mapper.max_link_seconds(slots));
    }
    CHECK_EQUAL(mapper.hop_bytes(mapper.best("hop-bytes")), bytes);
    CHECK(near(mapper.max_link_seconds(mapper.best("max-link")), seconds));
  }
  const Mapper nine(row(5), nodes_of(9, 1), drawn(9, 9, 1));
  CHECK_THROWS(UserError, nine.best("hop-bytes"));
  CHECK_THROWS(UserError, nine.best("hops"));
}

TEST("decide/a search tries the swaps that its objective leaves") {
  class Two final : public Objective {  // ranks 0 and 1 should change slots, and no others
   public:
    void reset(const RankSlots& slots) override { slots_ = slots; }
    [[nodiscard]] const RankSlots& slots() const override { return slots_; }
    [[nodiscard]] double cost() override { return slots_[0] == 0 ? 1 : 0; }
    [[nodiscard]] double scale() const override { return 1; }
    [[nodiscard]] double gain(std::int32_t a, std::int32_t b, double /*least*/) override {
      tried.emplace_back(a, b);
      return slots_[0] == 0 && a + b == 1 ? 1 : 0;
    }
    void shorten(std::int32_t a, std::vector<std::int32_t>& others) override {
      others.assign(1, a == 0 ? 1 : 0);
    }
    void swap(std::int32_t a, std::int32_t b) override { std::swap(slots_[a], slots_[b]); }
    [[nodiscard]] std::vector<std::int32_t> begin_round() override { return {0, 2}; }
    std::vector<std::pair<std::int32_t, std::int32_t>> tried;

   private:
    RankSlots slots_{0, 1, 2, 3};
  };
  const auto machine = row(2);
  const CommunicationMatrix matrix = drawn(4, 20, 1);
  Two objective;
  CHECK_EQUAL(improve(objective, matrix, SlotNodes(*machine, nodes_of(4, 1)), {0, 1}), 1);
  const std::vector<std::pair<std::int32_t, std::int32_t>> wanted{{0, 1}, {2, 0}};
  CHECK(objective.tried == wanted);
}

TEST("decide/a search never costs more than its start, and its answer is a permutation") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Mapper mapper(groups(), nodes_of(40, 2), drawn(40, 200, seed));
    const RankSlots start = seed == 1 ? mapper.greedy() : shuffled(40, seed);
    for (const char* objective : {"hop-bytes", "max-link"}) {
      const RankSlots found = mapper.improved(objective, start, {seed, 50});
      const bool bytes = std::string(objective) == "hop-bytes";
      const double before = bytes ? mapper.hop_bytes(start) : mapper.max_link_seconds(start);
      const double after = bytes ? mapper.hop_bytes(found) : mapper.max_link_seconds(found);
      CHECK(after <= before);
      CHECK(seed == 1 || after < before);
      CHECK(mapper.improved(objective, start, {seed, 50}) == found);
    }
  }
}

TEST("decide/a search ends where no swap gains: all nodes are near each other here") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Mapper mapper(row(3), nodes_of(18, 3), drawn(18, 60, seed));
    const RankSlots found = mapper.improved("hop-bytes", shuffled(18, seed), {seed, 50});
    const double cost = mapper.hop_bytes(found);
    for (std::size_t a = 0; a < found.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        RankSlots swapped = found;
        std::swap(swapped[a], swapped[b]);
        CHECK(mapper.hop_bytes(swapped) >= 0.999 * cost);  // less ends a search
      }
  }
}

TEST("decide/one round brings ranks to the nodes of their partners") {
  std::vector<std::int32_t> from, to;
  for (std::int32_t rank = 0; rank < 128; ++rank)
    from.push_back(rank), to.push_back((rank + 128) % 256);
  const CommunicationMatrix matrix(256, from, to, std::vector<double>(128, 64));
  const Mapper mapper(row(64), nodes_of(256, 2), matrix);
  const RankSlots start = shuffled(256, 5);
  CHECK(mapper.hop_bytes(start) > 300 * 64);
  CHECK_EQUAL(mapper.hop_bytes(mapper.improved("hop-bytes", start, {0, 1})), 0.0);
}

TEST("decide/a search that ends on a busier link goes back to its start") {
  // The sum that the search lowers fell here, while the largest of its terms rose.
  const Mapper mapper(row(2), nodes_of(4, 2), drawn(4, 8, 1407));
  const RankSlots start{0, 1, 2, 3};
  CHECK(mapper.improved("max-link", start, {0, 50}) == start);
}

TEST("decide/a search brings pairs that only talk to each other onto one node") {
  std::vector<std::int32_t> from, to;
  for (std::int32_t rank = 0; rank < 8; ++rank) from.push_back(rank), to.push_back((rank + 8) % 16);
  const CommunicationMatrix matrix(16, from, to, std::vector<double>(8, 64));
  const Mapper mapper(row(4), nodes_of(16, 2), matrix);
  CHECK_EQUAL(mapper.hop_bytes(mapper.greedy()), 0.0);
  CHECK_EQUAL(mapper.hop_bytes(mapper.improved("hop-bytes", shuffled(16, 3), {0, 50})), 0.0);
}

}  // namespace odonata::tests::mapper_test
