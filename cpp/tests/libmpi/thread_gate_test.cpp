// Who may be in the library beside whom.
#include <thread>

#include "check.hpp"
#include "preload/libmpi/core/environment/thread_gate.hpp"

namespace odonata::tests::thread_gate_test {
namespace {

using libmpi::ThreadGate;
using trace::Function;
using enum ThreadGate::Entry;

ThreadGate::Entry enter_elsewhere(ThreadGate& gate, Function function, bool local) {
  ThreadGate::Entry entry{};
  std::jthread([&] {
    entry = gate.enter(function, local);
    if (entry != refused) gate.leave();
  }).join();
  return entry;
}

TEST("libmpi/thread gate: a call that communicates is refused beside another one") {
  ThreadGate gate;
  CHECK(gate.enter(Function::Recv, false) == first);
  CHECK(enter_elsewhere(gate, Function::Send, false) == refused);
  CHECK(gate.under_way() == Function::Recv);
  gate.sleep();
  CHECK(enter_elsewhere(gate, Function::Send, false) == refused);
  gate.wake();
  gate.leave();
  CHECK(enter_elsewhere(gate, Function::Send, false) == first);
}

TEST("libmpi/thread gate: a local call visits while another call sleeps") {
  ThreadGate gate;
  CHECK(gate.enter(Function::Recv, false) == first);
  gate.sleep();
  CHECK(enter_elsewhere(gate, Function::Comm_rank, true) == visiting);
  gate.wake();
  CHECK(gate.mine());
  CHECK(gate.ends());
  gate.leave();
  CHECK(!gate.mine());
  CHECK(enter_elsewhere(gate, Function::Comm_rank, true) == first);
}

TEST("libmpi/thread gate: a callback of a visitor may make local calls alone") {
  ThreadGate gate;
  CHECK(gate.enter(Function::Recv, false) == first);
  gate.sleep();
  std::jthread([&] {
    CHECK(gate.enter(Function::Comm_delete_attr, true) == visiting);
    CHECK(gate.enter(Function::Comm_size, true) == nested);
    gate.leave();
    CHECK(gate.visited());
    CHECK(gate.enter(Function::Barrier, false) == refused);
    gate.leave();
  }).join();
  CHECK(!gate.visited());
}

TEST("libmpi/thread gate: calls of a callback are nested, and a question finds no place") {
  ThreadGate gate;
  CHECK(gate.enter(Function::Comm_free, false) == first);
  CHECK(gate.enter(Function::Barrier, false) == nested);
  CHECK(!gate.ends());
  gate.leave();
  CHECK(!gate.try_question());
  CHECK(gate.ends());
  gate.leave();
  CHECK(gate.try_question());
}

TEST("libmpi/thread gate: one thread at a time, whatever sleeps") {
  constexpr int rounds = 20'000;
  ThreadGate gate;
  int calls = 0;  // shared without a lock
  const auto describe = [&] {
    for (int i = 0; i < rounds; ++i) {
      CHECK(gate.enter(Function::Comm_rank, true) != refused);
      ++calls;
      gate.leave();
    }
  };
  std::jthread one(describe), two(describe);
  for (int i = 0; i < rounds; ++i) {
    CHECK(gate.enter(Function::Recv, false) == first);
    ++calls;
    gate.sleep();
    gate.wake();
    ++calls;
    gate.leave();
  }
  one.join();
  two.join();
  CHECK_EQUAL(calls, 4 * rounds);
}

}  // namespace
}  // namespace odonata::tests::thread_gate_test
