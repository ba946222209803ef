// A recorded run with later messages, by hand.
#include <memory>
#include <vector>

#include "check.hpp"
#include "odonata/machine/star/star.hpp"
#include "odonata/simulate/moved.hpp"

namespace odonata::tests::moved_test {

namespace {

using Kind = Act::Kind;

// Two nodes, whose NICs take 8 B in 8 ps.
std::shared_ptr<const Machine> two_nodes() {
  const LinkClass quick{"", {1'000'000'000'000}, 0, 4'096, 0};
  const Basics basics{"test", 1, 0, 0, {1'000'000'000'000}};
  return std::make_shared<const Machine>(make_star({basics, 2, quick, quick}));
}

}  // namespace

// Ranks 0 and 2 share a node. Rank 2 sends at 100 ps. Rank 0 sends at 110 ps, when it has received,
// and waits at the NIC until 150 ps: 50 ps lie between two messages. It takes 50 ps from there on.
TEST("simulate/a message that comes later waits for no gap behind one that has long left") {
  ActRecord record;
  for (const Act& act : std::vector<Act>{{Kind::send, 1, 8, 0},
                                         {Kind::work, 2, 100},
                                         {Kind::rest, 2},
                                         {Kind::send, 2, 8, 1},
                                         {Kind::receive, 0, 8, 1},
                                         {Kind::need, 0, 4},
                                         {Kind::send, 0, 8, 1},
                                         {Kind::receive, 1, 8, 2},
                                         {Kind::receive, 1, 8, 0},
                                         {Kind::need, 1, 7},
                                         {Kind::need, 1, 8}})
    record.acts.add(act);
  record.flights.push_back({0, Flight::Leg::first, 0, 110});
  record.flights.push_back({3, Flight::Leg::first, 100, 150});
  record.flights.push_back({6, Flight::Leg::first, 110, 200});
  EngineOptions engine;
  engine.message_gap = 50;
  const MovedRun run(two_nodes(), {}, engine, {0, 1, 0}, record);
  CHECK((run.ends(0) == std::vector<Time>{110, 200, 100}));
  // The message to rank 0 comes at 1110, and the answer 1000 later than 50 ps after it is sent.
  CHECK((run.ends(1'000) == std::vector<Time>{1'110, 2'160, 100}));
}

}  // namespace odonata::tests::moved_test
