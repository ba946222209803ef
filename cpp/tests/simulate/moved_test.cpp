// A recorded run with later messages, by hand.
#include <memory>
#include <utility>
#include <vector>

#include "check.hpp"
#include "odonata/machine/star/star.hpp"
#include "odonata/simulate/moved.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::moved_test {

namespace {

using Kind = Act::Kind;

// Two nodes, whose NICs take 8 B in 8 ps.
std::shared_ptr<const Machine> two_nodes() {
  const LinkClass quick{"", {1'000'000'000'000}, 0, 4'096, 0};
  const Basics basics{"test", 1, 0, 0, {1'000'000'000'000}};
  return std::make_shared<const Machine>(make_star({basics, 2, quick, quick}));
}

ActRecord record_of(const std::vector<Act>& acts, const std::vector<Flight>& flights) {
  ActRecord record;
  for (const Act& act : acts) record.acts.add(act);
  for (const Flight& flight : flights) record.flights.push_back(flight);
  return record;
}

MovedRun run_of(const ActRecord& record, std::vector<std::int32_t> nodes, Time gap = 0) {
  EngineOptions engine;
  engine.message_gap = gap;
  return {two_nodes(), {}, engine, std::move(nodes), record};
}

}  // namespace

// Ranks 0 and 2 share a node. Rank 2 sends at 100 ps. Rank 0 sends at 110 ps, when it has received,
// and waits at the NIC until 150 ps: 50 ps lie between two messages. It takes 50 ps from there on.
TEST("simulate/a message that comes later waits for no gap behind one that has long left") {
  const ActRecord record = record_of({{Kind::send, 1, 8, 0},
                                      {Kind::work, 2, 100},
                                      {Kind::rest, 2},
                                      {Kind::send, 2, 8, 1},
                                      {Kind::receive, 0, 8, 1},
                                      {Kind::need, 0, 4},
                                      {Kind::send, 0, 8, 1},
                                      {Kind::receive, 1, 8, 2},
                                      {Kind::receive, 1, 8, 0},
                                      {Kind::need, 1, 7},
                                      {Kind::need, 1, 8}},
                                     {{0, Flight::Leg::first, 0, 110},
                                      {3, Flight::Leg::first, 100, 150},
                                      {6, Flight::Leg::first, 110, 200}});
  const MovedRun run = run_of(record, {0, 1, 0}, 50);
  CHECK((run.ends(0) == std::vector<Time>{110, 200, 100}));
  // The message to rank 0 comes at 1110, and the answer 1000 later than 50 ps after it is sent.
  CHECK((run.ends(1'000) == std::vector<Time>{1'110, 2'160, 100}));
}

TEST("simulate/a synchronous send asks first, so that each of its three messages comes later") {
  const ActRecord record =
      record_of({{Kind::send_synchronous, 0, 8, 1}, {Kind::receive, 1, 8, 0}, {Kind::need, 1, 1}},
                {{0, Flight::Leg::first, 0, 10},
                 {0, Flight::Leg::answer, 10, 20},
                 {0, Flight::Leg::data, 20, 30, 25}});
  const MovedRun run = run_of(record, {0, 1});
  CHECK_EQUAL(run.ends(0)[1], 30);
  CHECK_EQUAL(run.ends(5)[1], 45);
}

TEST("simulate/a record of ranks or nodes that the run has not is refused") {
  CHECK_THROWS(UserError, run_of(record_of({{Kind::work, 0, 1}}, {}), {2}));
  CHECK_THROWS(UserError, run_of(record_of({{Kind::work, 1, 1}}, {}), {0}));
  CHECK_THROWS(UserError, run_of(record_of({{Kind::send, 0, 8, 1}}, {}), {0}));
  CHECK_THROWS(UserError, run_of(record_of({{Kind::work, 0, 1}}, {{1}}), {0}));
}

}  // namespace odonata::tests::moved_test
