// The breakdown alone has the times of a whole explanation, though it keeps a crossing only as long
// as it is held.
#include "odonata/explain/explainer.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "odonata/machine/families/star/star.hpp"
#include "odonata/mpi/rank.hpp"
#include "odonata/simulate/simulation.hpp"

namespace odonata::tests::explainer_test {
namespace {

using Program = Task (*)(Rank);

std::shared_ptr<const Machine> star(std::int64_t ejection = 1'000'000'000) {
  const auto link = [](const char* name, std::int64_t rate) {
    return LinkClass{name, Rate{rate}, 7000, 4096, 11'000};
  };
  const Basics basics{"star", 4, 50'000, 3000, Rate{2'000'000'000}};
  return std::make_shared<const Machine>(
      make_star({basics, 4, link("injection", 1'000'000'000), link("ejection", ejection)}));
}

struct Setting {
  Time overhead = 1000;  // [ps]
  std::vector<std::int32_t> nodes{0, 1, 2, 3};  // of the ranks
  Time search = 0;  // [ps] an entry
  std::int64_t ejection = 1'000'000'000;  // [B/s] of links to nodes
};

std::unique_ptr<Simulation> run(Program program, bool path, const Setting& setting = {}) {
  SimulationOptions options;
  options.mpi.send_overhead = options.mpi.recv_overhead = setting.overhead;
  options.mpi.search_per_entry = setting.search;
  options.explain = true;
  options.explain_path = path;
  auto simulation = std::make_unique<Simulation>(star(setting.ejection), options);
  simulation->add({setting.nodes, program});
  CHECK(simulation->run());
  return simulation;
}

bool have_the_same_times(const Simulation& a, const Simulation& b) {
  const std::size_t count = a.explainer()->categories().count();
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    const Time* of_a = a.explainer()->of_rank(rank);
    if (!std::equal(of_a, of_a + count, b.explainer()->of_rank(rank))) return false;
  }
  return true;
}

constexpr Time late = 100'000'000;

Span of(Bytes bytes) { return {0, 0, bytes}; }

// A message ends a wait of rank 0 while its program sleeps. Then others take its slots, on ways
// that wait behind each other, before the program resumes.
Task sleeper(Rank rank) {
  if (rank.index() == 0) {
    const Request receive = rank.irecv(1, of(100));
    co_await rank.sleep_until(late);
    co_await rank.wait(receive);
    co_return;
  }
  if (rank.index() == 1) co_await rank.send(0, of(100));
  for (int i = 0; i < 20; ++i) {
    if (rank.index() < 3) {
      for (int more = 0; more < i % 3; ++more) rank.isend(3, of(300), 1);
      co_await rank.sendrecv(3, of(900 + 50 * i), 3, of(10));
    } else {
      const std::vector<Request> both{rank.irecv(1, of(4000)), rank.irecv(2, of(4000))};
      co_await rank.wait_all(both);
      for (int more = 0; more < 2 * (i % 3); ++more) co_await rank.recv(1 + more % 2, of(300), 1);
      for (const int to : {1, 2}) co_await rank.send(to, of(10));
    }
  }
}

// Everybody waits for two messages at once, again and again.
Task exchange(Rank rank) {
  const int right = (rank.index() + 1) % 4, left = (rank.index() + 3) % 4;
  for (int i = 0; i < 200; ++i) {
    const Bytes bytes = 1 + 13 * ((rank.index() + i) % 7);
    std::vector<Request> requests{rank.irecv(left, of(200)), rank.irecv(right, of(200))};
    requests.push_back(rank.isend(right, of(bytes)));
    requests.push_back(rank.isend(left, of(2 * bytes)));
    co_await rank.wait_all(requests);
  }
}

// Everybody waits until long messages, which go by rendezvous, have left and have come.
Task long_exchange(Rank rank) {
  const int right = (rank.index() + 1) % 4, left = (rank.index() + 3) % 4;
  for (int i = 0; i < 200; ++i) co_await rank.sendrecv(right, of(100'000), left, of(100'000));
}

// Beside the program of rank 0 something waits for two messages, of which one comes late.
Task receive_both(Rank rank) {
  const std::vector<Request> both{rank.irecv(1, of(100)), rank.irecv(2, of(100))};
  co_await rank.wait_all(both);
}

Task waits_beside(Rank rank) {
  if (rank.index() == 0) {
    co_await rank.wait(rank.start(receive_both));
  } else if (rank.index() < 3) {
    co_await rank.sleep_until(rank.index() * late);
    co_await rank.send(0, of(100));
  }
}

// Rank 0 waits for messages of rank 1, or for something beside its program does, and messages of
// ranks 2 and 3 come too early, while it waits or sleeps.
Task too_early(Rank rank) {
  for (int i = 0; i < 20; ++i) {
    if (rank.index() > 0) {
      co_await rank.sleep_until(i * late + (4 - rank.index()) * (7 * i) % 23 * 40'000);
      co_await rank.send(0, of(10 + 10 * i), rank.index());
      continue;
    }
    const Request first = rank.irecv(1, of(500), 1);
    if (i % 3 == 0) co_await rank.sleep_until(i * late + 500'000);
    co_await rank.wait(first);
    for (const int from : {2, 3}) co_await rank.recv(from, of(500), from);
  }
}

Task receive_in_turn(Rank rank) {
  for (const int from : {1, 2, 3}) co_await rank.recv(from, of(500), from);
}

Task too_early_beside(Rank rank) {
  for (int i = 0; i < 20; ++i) {
    if (rank.index() == 0) {
      const std::vector<Request> both{rank.start(receive_in_turn), rank.irecv(3, of(500), 7)};
      co_await rank.wait_all(both);
    } else {
      co_await rank.sleep_until(i * late + (4 - rank.index()) * (7 * i) % 23 * 40'000);
      co_await rank.send(0, of(10 + 10 * i), rank.index());
      if (rank.index() == 3) co_await rank.send(0, of(10), 7);
    }
  }
}

// Rank 0 looks for a message before it receives it.
Task prober(Rank rank) {
  for (int i = 1; i <= 5; ++i) {
    if (rank.index() == 0) {
      const Status seen = co_await rank.probe(any_source, 0);
      co_await rank.recv(seen.source, of(100));
    } else if (rank.index() == 1) {
      co_await rank.sleep_until(i * late);
      co_await rank.send(0, of(100));
    }
  }
}

// Ranks 0 and 2 wait for messages of rank 1, in whose node rank 2 is, and rank 3 sleeps as long.
// All that has happened by 3, 6, 9 ms is short, and the rest is long: 2^32 ps are 4.29 ms.
constexpr Time ms = 1'000'000'000;
constexpr std::array<Time, 5> ends{3 * ms, 6 * ms, 9 * ms, 20 * ms, 21 * ms};

Task patience(Rank rank) {
  for (const Time end : ends) {
    if (rank.index() % 2 == 1) co_await rank.sleep_until(end);
    if (rank.index() == 3) continue;
    for (const int to : {0, 2}) {
      if (rank.index() == 1) co_await rank.send(to, of(100));
      if (rank.index() == to) co_await rank.recv(1, of(100));
    }
  }
}

// Rank 0 waits where it is in no call.
Task waits_outside(Rank rank) {
  if (rank.index() > 1) co_return;
  rank.enter("call");
  co_await rank.compute(1000);
  rank.leave();
  if (rank.index() == 0) {
    co_await rank.recv(1, of(100));
  } else {
    co_await rank.sleep_until(late);
    co_await rank.send(0, of(100));
  }
}

// A rank that works in calls, one after the other.
struct OneRank {
  explicit OneRank(bool path) : explainer(*machine, clock, path) { explainer.add(0, 1, false); }

  void call(std::string_view function, bool collective, int communicator, Time cost) {
    explainer.enter(0, function, collective, communicator);
    explainer.work(0, Work::send, now, cost);
    now += cost;
    explainer.leave(0);
  }
  void end() {
    explainer.finish(0, now);
    explainer.close();
    explainer.check();
  }

  std::shared_ptr<const Machine> machine = star();
  Clock clock;
  Explainer explainer;
  Time now = 0;  // [ps] end of the last call
};

// Time of a call in all phases [ps].
Time time_in(const Explainer& explainer, std::string_view function, Category category) {
  TimeSum sum = 0;
  const auto& scopes = explainer.log().scopes;
  for (std::size_t i = 0; i < scopes.size(); ++i)
    if (scopes[i].function == function) sum += explainer.of_scope(i)[Categories::of(category)];
  return static_cast<Time>(sum);
}

}  // namespace

TEST("explainer/a wait keeps the crossing that ended it while its rank sleeps") {
  const auto alone = run(sleeper, false), whole = run(sleeper, true);
  CHECK(have_the_same_times(*alone, *whole));
  const Time* times = alone->explainer()->of_rank(0);
  CHECK_EQUAL(times[Categories::of(Category::serialization)], 100'000);
}

TEST("explainer/crossings go with their last holders") {
  const auto alone = run(exchange, false), whole = run(exchange, true);
  CHECK(have_the_same_times(*alone, *whole));
  CHECK(whole->explainer()->log().num_crossings() > 400);
  CHECK(alone->explainer()->num_held() < 40);
  CHECK_EQUAL(alone->explainer()->log().num_crossings(), std::size_t{0});
}

TEST("explainer/each rank keeps the crossings that end at it, in the order of time") {
  const auto whole = run(long_exchange, true);
  const CauseLog& log = whole->explainer()->log();
  bool answers = false;
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    const Crossings& all = log.crossings[rank];
    CHECK(all.size() > 200);
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const bool answer = all[i].leg() == Leg::answer;
      answers = answers || answer;
      CHECK(rank == all[i].from || (!answer && rank == all[i].to));
      CHECK(i == 0 || all.end(all[i - 1]) <= all.end(all[i]));
      CHECK(!all.parent(i) || log.end(all.parent(i)) == all[i].handed);
    }
  }
  CHECK(answers);
}

TEST("explainer/so do the times with messages by rendezvous") {
  const auto alone = run(long_exchange, false), whole = run(long_exchange, true);
  CHECK(have_the_same_times(*alone, *whole));
  const Time* times = alone->explainer()->of_rank(0);
  CHECK(times[Categories::of(Category::rendezvous)] > 0);
  CHECK(alone->explainer()->num_held() < 40);
}

TEST("explainer/a wait beside a program ends with its last message") {
  const auto alone = run(waits_beside, false), whole = run(waits_beside, true);
  CHECK(have_the_same_times(*alone, *whole));
  const Time* times = alone->explainer()->of_rank(0);
  CHECK(times[Categories::of(Category::late_sender)] > 2 * late - 10'000);
}

TEST("explainer/messages that come too early take no wait") {
  for (const Program program : {too_early, too_early_beside})
    for (const Time search : {0, 300})
      for (const std::vector<std::int32_t>& nodes : {std::vector{0, 1, 2, 3}, {0, 1, 0, 1}}) {
        const Setting setting{1000, nodes, search};
        const auto alone = run(program, false, setting), whole = run(program, true, setting);
        CHECK(have_the_same_times(*alone, *whole));
      }
}

TEST("explainer/a message that a rank has looked for ends its wait") {
  const auto alone = run(prober, false), whole = run(prober, true);
  CHECK(have_the_same_times(*alone, *whole));
  const Time* times = alone->explainer()->of_rank(0);
  CHECK(times[Categories::of(Category::late_sender)] > 4 * late);
}

TEST("explainer/times of waits and work may be long") {
  for (const Time overhead : {Time{1000}, 5 * ms}) {
    const Setting setting{overhead, {0, 1, 1, 2}};
    const auto alone = run(patience, false, setting), whole = run(patience, true, setting);
    CHECK(have_the_same_times(*alone, *whole));
    const auto time = [&](std::int32_t rank, Category category) {
      return alone->explainer()->of_rank(rank)[Categories::of(category)];
    };
    CHECK_EQUAL(time(1, Category::send_overhead), 10 * overhead);
    CHECK_EQUAL(time(2, Category::receive_overhead), 5 * overhead);
    CHECK_EQUAL(time(3, Category::pausing), 21 * ms);
    CHECK(time(0, Category::late_sender) > 15 * ms);
  }
}

TEST("explainer/the time of a slower link to a node is transmission") {
  Setting setting;
  setting.ejection = 500'000'000;
  const auto alone = run(waits_outside, false, setting), whole = run(waits_outside, true, setting);
  CHECK(have_the_same_times(*alone, *whole));
  const Time* times = alone->explainer()->of_rank(0);
  CHECK_EQUAL(times[Categories::of(Category::transmission)], 100'000);
  CHECK_EQUAL(times[Categories::of(Category::ejection)], 7000);
}

TEST("explainer/a rank keeps its time when other jobs come") {
  const auto machine = star();
  Clock clock;
  Explainer explainer(*machine, clock, false);
  explainer.add(0, 1, false);
  explainer.work(0, Work::compute, 0, 700);
  explainer.add(1, 1000, false);  // its table moves
  explainer.work(0, Work::compute, 700, 50);
  explainer.close();
  CHECK_EQUAL(explainer.of_rank(0)[Categories::of(Category::computing)], 750);
  CHECK_EQUAL(explainer.of_rank(1000)[Categories::of(Category::computing)], 0);
}

TEST("explainer/what happens between two calls is in neither") {
  using Outside = void (*)(OneRank&);
  const std::array<Outside, 4> outside{
      [](OneRank& one) { one.explainer.work(0, Work::compute, 1000, 500); },
      [](OneRank& one) { one.explainer.work(0, Work::receive, 1000, 500); },
      [](OneRank& one) {
        one.clock.now = 1500;
        one.explainer.resume(0);
      },
      [](OneRank& one) {
        one.explainer.begin_phase(0, 3);
        one.clock.now = 1200;
        one.explainer.resume(0);
        one.explainer.work(0, Work::search, 1200, 300);
      }};
  for (const bool path : {false, true})
    for (const Outside happen : outside) {
      OneRank one(path);
      one.call("send", true, 7, 1000);
      one.explainer.leave(0);
      happen(one);
      one.now = 1500;
      one.call("send", true, 7, 200);
      one.end();
      CHECK_EQUAL(time_in(one.explainer, "send", Category::send_overhead), 1200);
      const Time others = time_in(one.explainer, "", Category::computing) +
                          time_in(one.explainer, "", Category::receive_overhead) +
                          time_in(one.explainer, "", Category::matching) +
                          time_in(one.explainer, "", Category::pausing);
      CHECK_EQUAL(others, 500);
    }
}

TEST("explainer/so is a wait there") {
  for (const bool path : {false, true}) {
    const auto done = run(waits_outside, path);
    CHECK_EQUAL(time_in(*done->explainer(), "", Category::late_sender), late);
    CHECK_EQUAL(time_in(*done->explainer(), "call", Category::late_sender), 0);
  }
}

TEST("explainer/a call that is left and entered again at once is in one scope") {
  for (const bool path : {false, true}) {
    OneRank one(path);
    for (const int step : {0, 1, 2, 3}) one.call("send", false, step / 2, 1000);
    one.end();
    // outside of MPI at the begin and in the end, and once for each communicator
    CHECK_EQUAL(one.explainer.log().scopes.size(), std::size_t{3});
    for (const std::size_t scope : {1U, 2U})
      CHECK(one.explainer.of_scope(scope)[Categories::of(Category::send_overhead)] == 2000);
  }
}

TEST("explainer/calls that differ in one thing are in scopes of their own") {
  OneRank one(false);
  for (int i = 0; i < 2; ++i) {
    one.call("send", false, 1, 10);
    one.call("sent", false, 1, 10);
    one.call("send", true, 1, 10);
    one.call("send", false, 2, 10);
    one.call(std::string_view("sends").substr(0, 4), false, 2, 10);
  }
  one.end();
  CHECK_EQUAL(one.explainer.log().scopes.size(), std::size_t{5});
  CHECK_EQUAL(time_in(one.explainer, "send", Category::send_overhead), 80);
  CHECK_EQUAL(time_in(one.explainer, "sent", Category::send_overhead), 20);
}

TEST("explainer/every call has its own scope, however many there are") {
  OneRank one(false);
  constexpr int communicators = 1000;
  for (int round = 0; round < 3; ++round)
    for (int communicator = 0; communicator < communicators; ++communicator)
      one.call("send", false, communicator, 1 + communicator);
  one.end();
  const auto& scopes = one.explainer.log().scopes;
  CHECK_EQUAL(scopes.size(), std::size_t{communicators + 1});
  for (std::size_t i = 1; i < scopes.size(); ++i)
    CHECK(one.explainer.of_scope(i)[Categories::of(Category::send_overhead)] ==
          3 * (1 + scopes[i].communicator));
}

// Four ranks compute for 26 days, as long as a run can take, in work of a day.
TEST("explainer/ranks compute longer together than a time has room for") {
  constexpr Time day = 86'400 * picoseconds_per_second, days = 26;
  for (const bool path : {false, true}) {
    const auto done = run(
        +[](Rank rank) -> Task {
          for (Time i = 0; i < days; ++i) co_await rank.compute(day);
        },
        path);
    const Explainer& explainer = *done->explainer();
    for (std::int32_t rank = 0; rank < 4; ++rank)
      CHECK_EQUAL(explainer.of_rank(rank)[Categories::of(Category::computing)], days * day);
    TimeSum sum = 0;
    for (std::size_t i = 0; i < explainer.log().scopes.size(); ++i)
      sum += explainer.of_scope(i)[Categories::of(Category::computing)];
    CHECK(sum == TimeSum{4 * days} * day);
  }
}

}  // namespace odonata::tests::explainer_test
