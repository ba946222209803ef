// Counters of a rank and of a run whose calls are records: each number counted by hand.
#include "odonata/profile/tally.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "check.hpp"
#include "odonata/profile/profiler.hpp"

namespace odonata::profile::tests::tally_test {

using trace::Call;
using trace::Collective;
using trace::Found;
using trace::Op;

namespace {

class Memory final : public Store {
 public:
  Cell* take(std::uint64_t capacity) override {
    if (capacity > most) return nullptr;
    tables.emplace_back(capacity);
    return tables.back().data();
  }
  void publish(std::uint64_t capacity) override { published = capacity; }

  std::uint64_t most = 1 << 20;
  std::uint64_t published = 0;
  std::vector<std::vector<Cell>> tables;
};

struct Counters {
  explicit Counters(std::uint64_t capacity, std::uint64_t start = 0) {
    head.start = start;
    tally.emplace(head, memory, capacity);
  }
  [[nodiscard]] Cell at(Kind kind, std::uint32_t phase, std::uint32_t what,
                        std::uint64_t rest) const {
    for (const Cell& cell : memory.tables.back())
      if (cell.key == key(kind, phase, what, rest)) return cell;
    return {};
  }

  Head head{};
  Memory memory;
  std::optional<Tally> tally;
};

}  // namespace

TEST("tally/calls, sizes, messages and collectives add up by kind") {
  Counters c(64);
  c.tally->call(7, Found::unknown, 10);
  c.tally->call(7, Found::unknown, 5);
  c.tally->call(7, Found::unknown, 3, 0);  // the rest of a call
  c.tally->call(7, Found::flag_off, 2);
  c.tally->size(7, 64);
  c.tally->size(7, 65);
  c.tally->size(7, 100);
  c.tally->message(3, 64);
  c.tally->message(3, 65);
  c.tally->message(4, 1);
  c.tally->collective(Collective::bcast, 8, true, 30);
  c.tally->collective(Collective::bcast, 8, false, 20);
  const Cell calls = c.at(Kind::call, 0, 7, 0);
  CHECK_EQUAL(calls.count, 2U);
  CHECK_EQUAL(calls.time, 18U);
  CHECK_EQUAL(c.at(Kind::call, 0, 7, 1).count, 1U);
  CHECK_EQUAL(c.at(Kind::size, 0, 7, 7).count, 1U);  // 33 to 64
  CHECK_EQUAL(c.at(Kind::size, 0, 7, 8).count, 2U);  // 65 to 128
  CHECK_EQUAL(c.at(Kind::size, 0, 7, 8).bytes, 165U);
  CHECK_EQUAL(c.at(Kind::pair, 0, 0, 3).count, 2U);
  CHECK_EQUAL(c.at(Kind::pair, 0, 0, 3).bytes, 129U);
  const auto bcast = static_cast<std::uint32_t>(Collective::bcast);
  CHECK_EQUAL(c.at(Kind::collective, 0, bcast, 8 | at_root).bytes, 30U);
  CHECK_EQUAL(c.at(Kind::collective, 0, bcast, 8).bytes, 20U);
}

TEST("tally/phases last from mark to mark, and counts belong to the phase at hand") {
  Counters c(64, 100);
  c.tally->call(1, Found::unknown, 1);
  c.tally->mark(5, 130);
  c.tally->call(1, Found::unknown, 1);
  c.tally->message(3, 8);
  c.tally->mark(6, 150);
  c.tally->mark(5, 157);
  c.tally->end(160);
  CHECK_EQUAL(c.head.num_phases, 3U);
  CHECK_EQUAL(c.head.phases[1], 5);
  CHECK_EQUAL(c.at(Kind::phase, 0, 0, 0).time, 30U);
  CHECK_EQUAL(c.at(Kind::phase, 1, 0, 0).time, 23U);
  CHECK_EQUAL(c.at(Kind::phase, 1, 0, 0).count, 2U);
  CHECK_EQUAL(c.at(Kind::phase, 2, 0, 0).time, 7U);
  CHECK_EQUAL(c.at(Kind::call, 0, 1, 0).count, 1U);
  CHECK_EQUAL(c.at(Kind::call, 1, 1, 0).count, 1U);
  CHECK_EQUAL(c.at(Kind::pair, 1, 0, 3).count, 1U);
  CHECK_EQUAL(c.head.latest, 160U);
  CHECK(c.head.state == State::ended);
}

TEST("tally/phases beyond the last number count as one") {
  Counters c(1024);
  for (std::int32_t level = 0; level < 300; ++level)
    c.tally->mark(level, static_cast<std::uint64_t>(level));
  CHECK_EQUAL(c.head.num_phases, most_phases);
  CHECK_EQUAL(c.head.phase, other_phase);
  CHECK_EQUAL(c.head.phases[other_phase - 1], static_cast<std::int32_t>(other_phase) - 2);
  CHECK_EQUAL(c.head.phases[other_phase], std::numeric_limits<std::int32_t>::min());
  CHECK_EQUAL(c.at(Kind::phase, other_phase, 0, 0).count, 300U - (most_phases - 2));
}

TEST("tally/a table grows at three quarters and keeps all; without memory counts are lost") {
  Counters c(8);
  for (std::int32_t to = 0; to < 100; ++to) c.tally->message(to, to);
  CHECK_EQUAL(c.memory.published, 256U);
  CHECK_EQUAL(c.head.used, 101U);
  for (std::uint64_t to = 0; to < 100; ++to) CHECK_EQUAL(c.at(Kind::pair, 0, 0, to).bytes, to);
  Counters full(8);
  full.memory.most = 8;
  for (std::int32_t to = 0; to < 20; ++to) full.tally->message(to, 1);
  CHECK_EQUAL(full.head.used, 7U);  // one is left empty, where looking ends
  CHECK_EQUAL(full.head.lost, 14U);
  full.tally->call(1, Found::unknown, 1, 5);  // five calls at once
  CHECK_EQUAL(full.head.lost, 19U);
}

TEST("tally/classes of sizes end at powers of two") {
  CHECK_EQUAL(size_class(0), 0U);
  for (std::uint32_t power = 1; power < 63; ++power) {
    CHECK_EQUAL(size_class(std::uint64_t{1} << power), power + 1);
    CHECK_EQUAL(size_class((std::uint64_t{1} << power) + 1), power + 2);
  }
}

namespace {

std::map<std::uint64_t, Cell> cells_of(const Profiler& profiler, int rank) {
  std::map<std::uint64_t, Cell> found;
  for (const Cell& cell : profiler.cells(rank)) found[cell.key] = cell;
  return found;
}

}  // namespace

TEST("profiler/records count in the ranks of the world, and once a function") {
  Profiler profiler(4);
  const auto send = [&](std::uint32_t comm, std::int32_t to, std::int64_t bytes,
                        std::uint8_t flags) {
    Call call;
    call.op = Op::send;
    call.function = 9;
    call.comm = comm;
    call.flags = flags;
    call.set(trace::Send{.to = to, .tag = 0, .bytes = bytes});
    profiler.called(3, call, {}, Found::unknown, 10, 14);
  };
  Call made;
  made.op = Op::communicator;
  made.comm = 2;
  made.set(trace::Creation{.identity = 5, .position = 1, .num_local = 0});
  const std::uint64_t members[] = {2, 3};
  profiler.called(3, made, members, Found::unknown, 0, 0);
  made.comm = 3;  // between {3} and {1, 0}
  made.set(trace::Creation{.identity = 6, .position = 0, .num_local = 1});
  const std::uint64_t both[] = {3, 1, 0};
  profiler.called(3, made, both, Found::unknown, 0, 0);
  send(0, 1, 100, 0);
  send(2, 0, 10, Call::more);
  send(3, 1, 1, 0);
  send(1, 0, 7, 0);               // to itself
  send(0, trace::nobody, 50, 0);  // no message
  const auto cells = cells_of(profiler, 3);
  const auto pair = [&](std::uint64_t to) { return cells.at(key(Kind::pair, 0, 0, to)); };
  CHECK_EQUAL(pair(1).bytes, 100U);
  CHECK_EQUAL(pair(2).bytes, 10U);
  CHECK_EQUAL(pair(0).bytes, 1U);
  CHECK_EQUAL(pair(3).bytes, 7U);
  const Cell calls = cells.at(key(Kind::call, 0, 9, 0));
  CHECK_EQUAL(calls.count, 4U);  // five records; one continues a call
  CHECK_EQUAL(calls.time, 20U);
  CHECK(cells_of(profiler, 0).size() == 1U);  // its phase
}

TEST("profiler/a collective counts its block, and its share by who is the root") {
  Profiler profiler(3);
  const auto gatherv = [&](int rank, std::span<const std::uint64_t> words, std::int64_t bytes) {
    Call call;
    call.op = Op::collective;
    call.function = 9;
    call.set(trace::CollectiveCall{.bytes = bytes, .root = 1, .operation = Collective::gatherv});
    profiler.called(rank, call, words, Found::unknown, 0, 1);
  };
  const std::uint64_t sizes[] = {10, 20, 40};
  gatherv(0, {}, 10);
  gatherv(1, sizes, 20);
  const auto operation = static_cast<std::uint32_t>(Collective::gatherv);
  const auto root = cells_of(profiler, 1).at(key(Kind::collective, 0, operation, 3 | at_root));
  CHECK_EQUAL(root.bytes, 50U);  // bytes from the others
  CHECK_EQUAL(cells_of(profiler, 0).at(key(Kind::collective, 0, operation, 3)).bytes, 0U);
  CHECK_EQUAL(cells_of(profiler, 0).at(key(Kind::size, 0, 9, size_class(10))).bytes, 10U);
}

TEST("profiler/polls count by their outcome, and a rank's time begins with its first call") {
  Profiler profiler(1);
  Call test;
  test.op = Op::test;
  test.function = 4;
  profiler.start(0, 1000);
  profiler.called(0, test, {}, Found::flag_off, 1000, 1010);
  profiler.start(0, 1010);
  profiler.called(0, test, {}, Found::flag_on, 1010, 1030);
  profiler.finish();
  const auto cells = cells_of(profiler, 0);
  CHECK_EQUAL(cells.at(key(Kind::call, 0, 4, 1)).time, 10U);
  CHECK_EQUAL(cells.at(key(Kind::call, 0, 4, 2)).time, 20U);
  CHECK_EQUAL(profiler.head(0).start, 1000U);
  CHECK_EQUAL(cells.at(key(Kind::phase, 0, 0, 0)).time, 30U);
}

}  // namespace odonata::profile::tests::tally_test
