// Messages inside a node: copies to a rank in turn, and the memory that all of a node share.
#include "odonata/mpi/node_memory.hpp"

#include "check.hpp"

namespace odonata::tests::node_memory_test {
namespace {

// A copy takes 4 ps a byte; the memory, where it has a limit, 1 ps a byte.
Machine machine_with(std::int64_t memory_bandwidth) {
  Machine machine;
  machine.node_router = {0, 0};
  machine.node_latency = 100;
  machine.node_bandwidth = {picoseconds_per_second / 4};
  machine.memory_bandwidth = {memory_bandwidth};
  return machine;
}

TEST("node memory/without a bandwidth of the memory no message waits") {
  const Machine machine = machine_with(0);
  NodeMemory memory(machine);
  for (int i = 0; i < 3; ++i) CHECK_EQUAL(memory.pass({0, 3, 10}, 50), 50 + 40 + 100);
}

TEST("node memory/copies to a rank follow one another, copies to others do not wait") {
  const Machine machine = machine_with(1'000'000'000'000'000);
  NodeMemory memory(machine);
  CHECK_EQUAL(memory.pass({0, 3, 10}, 50), 50 + 40 + 100);
  CHECK_EQUAL(memory.pass({0, 3, 10}, 60), 90 + 40 + 100);  // behind the first
  CHECK_EQUAL(memory.pass({0, 1, 10}, 60), 61 + 40 + 100);  // the memory is busy for 1 ps
  CHECK_EQUAL(memory.pass({0, 3, 0}, 500), 500 + 100);  // idle again
}

TEST("node memory/messages of a node take their turns, other nodes have their own memory") {
  const Machine machine = machine_with(picoseconds_per_second);
  NodeMemory memory(machine);
  for (std::int32_t rank = 0; rank < 8; ++rank)  // a turn of 10 ps each, then a copy of 40
    CHECK_EQUAL(memory.pass({0, rank, 10}, 0), rank * 10 + 40 + 100);
  CHECK_EQUAL(memory.pass({1, 9, 10}, 0), 40 + 100);
  CHECK_EQUAL(memory.pass({0, 0, 10}, 0), 80 + 40 + 100);  // its turn is later than the copy before
}

}  // namespace
}  // namespace odonata::tests::node_memory_test
