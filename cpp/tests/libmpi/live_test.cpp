// The two ends of the shared memory against each other: ranks are threads with the library's
// Endpoint, the test is the simulator.
#include <ctime>
#include <thread>
#include <vector>

#include "check.hpp"
#include "odonata/live/futex.hpp"
#include "odonata/live/live_source.hpp"
#include "odonata/units/errors.hpp"
#include "preload/libmpi/core/shared_memory/endpoint.hpp"

namespace odonata::libmpi::tests::live_test {

using libmpi::Endpoint;

namespace {

class Threads final : public live::Host {
 public:
  explicit Threads(live::Memory& memory) : memory_(memory) {}
  bool run(int, std::uint32_t seen, int milliseconds) override {
    const timespec most{0, milliseconds * 1'000'000L};
    live::futex_wait(memory_.header().simulator_bell, seen, &most);
    return true;
  }
  [[nodiscard]] bool takes_turns() const override { return false; }
  void wake(int rank) override { live::futex_wake(memory_.area(rank).bell); }
  void check() override {}
  [[nodiscard]] bool gone(int) const override { return false; }

 private:
  live::Memory& memory_;
};

struct Run {
  explicit Run(int ranks)
      : memory({.num_ranks = ranks, .ring_bytes = 4096, .arena_bytes = 1 << 20}),
        host(memory),
        source(memory, host) {}

  template <class Body>
  std::jthread rank(int number, Body body) {
    return std::jthread([this, number, body] {
      Endpoint endpoint(memory.start(), number, nullptr,
                        std::make_shared<live::Arena>(memory.header(), number, number));
      body(endpoint);
    });
  }

  live::Memory memory;
  Threads host;
  live::LiveSource source;
};

trace::Call tagged(int tag) {
  trace::Call call;
  call.op = trace::Op::send;
  call.set(trace::Send{.tag = tag});
  return call;
}

// Calls that a rank notes until it rings for a simulator that waits for it.
template <class Before>
int calls_until_it_rings(trace::Op op, Before before) {
  Run run(1);
  run.memory.area(0).wanted.store(1);
  trace::Call call;
  call.op = op;
  int calls = 0;
  const auto body = [&](Endpoint& endpoint) {
    for (; run.memory.area(0).wanted.load() != 0 && calls < 1'000; ++calls) {
      before(endpoint);
      endpoint.report(call);
    }
  };
  run.rank(0, body).join();
  CHECK_EQUAL(run.memory.header().simulator_bell.load(), 1U);
  return calls;
}

std::vector<std::uint64_t> words_of(int i) {
  return std::vector<std::uint64_t>(static_cast<std::size_t>(i * 20),
                                    static_cast<std::uint64_t>(i));
}

}  // namespace

TEST("live/records come whole and in order, however long") {
  Run run(2);
  const auto body = [](Endpoint& endpoint) {
    for (int i = 0; i < 200; ++i) endpoint.report(tagged(i), words_of(i));
  };
  const auto first = run.rank(0, body), second = run.rank(1, body);
  trace::Record record;
  int wrong = 0;
  for (int i = 0; i < 200; ++i)
    for (int rank = 0; rank < 2; ++rank) {
      if (!run.source.next(rank, record) || record.call.send.tag != i) ++wrong;
      if (record.words != words_of(i)) ++wrong;
    }
  CHECK_EQUAL(wrong, 0);
}

TEST("live/a rank that asks gets its answer") {
  Run run(1);
  std::vector<Time> times;
  {
    const auto rank = run.rank(0, [&times](Endpoint& endpoint) {
      for (int i = 0; i < 1000; ++i) {
        const trace::Answer answer = endpoint.ask(tagged(i));
        times.push_back(answer.now + answer.flag +
                        static_cast<Time>(answer.outcomes.back().serial));
      }
    });
    trace::Record record;
    for (int i = 0; i < 1000; ++i) {
      run.source.next(0, record);
      CHECK(record.call.wants_answer());
      const std::vector<trace::Outcome> outcomes(static_cast<std::size_t>(1 + i % 7),
                                                 trace::Outcome{.serial = 3});
      run.source.answer(0, {.now = i, .flag = 4, .outcomes = outcomes});
    }
  }
  for (int i = 0; i < 1000; ++i) CHECK_EQUAL(times[i], i + 7);
}

TEST("live/a full ring that another rank waits behind is emptied") {
  Run run(2);
  const auto ahead = run.rank(1, [](Endpoint& endpoint) {
    for (int i = 0; i < 10'000; ++i) endpoint.report(tagged(i));
    const live::Offset mail = endpoint.allocate(sizeof(live::Mail));
    new (endpoint.at(mail)) live::Mail{};
    endpoint.send_mail(0, mail);
  });
  const auto behind = run.rank(0, [](Endpoint& endpoint) {
    live::Offset mail = 0;
    endpoint.wait({.peer = 1}, [&] { return (mail = endpoint.take_mail()) != 0; });
    endpoint.release(mail);
    endpoint.report(tagged(77));
  });
  trace::Record record;
  CHECK(run.source.next(0, record));
  CHECK_EQUAL(record.call.send.tag, 77);
  for (int i = 0; i < 10'000; ++i) run.source.next(1, record);
  CHECK_EQUAL(record.call.send.tag, 9'999);
}

TEST("live/ranks that wait for each other are named") {
  Run run(2);
  std::atomic<bool> over = false;
  const auto body = [&over](Endpoint& endpoint) {
    const int other = 1 - endpoint.rank();
    endpoint.wait({.function = 1, .peer = other, .tag = 40 + other},
                  [&over] { return over.load(); });
  };
  const auto first = run.rank(0, body), second = run.rank(1, body);
  std::string said;
  trace::Record record;
  try {
    run.source.next(0, record);
  } catch (const DeadlockError& error) {
    said = error.what();
  }
  CHECK(said.find("for rank 1, tag 41; rank 1 waits") != std::string::npos);
  CHECK(said.find("for rank 0, tag 40") != std::string::npos);
  over = true;
  run.source.answer(0, {});
  run.source.answer(1, {});
}

TEST("live/local calls wake the simulator once for many") {
  const auto nothing = [](Endpoint&) {};
  CHECK_EQUAL(calls_until_it_rings(trace::Op::send, nothing), 1);
  CHECK_EQUAL(calls_until_it_rings(trace::Op::local, nothing), 64);
  const auto computes = [](Endpoint& endpoint) { endpoint.charge(10'000); };
  CHECK_EQUAL(calls_until_it_rings(trace::Op::local, computes), 1);
  const auto computes_less = [](Endpoint& endpoint) { endpoint.charge(9'999); };
  CHECK_EQUAL(calls_until_it_rings(trace::Op::local, computes_less), 64);
}

TEST("live/absurd sizes are refused") {
  const auto refused = [](const live::MemoryOptions& options) {
    try {
      const live::Memory memory(options);
    } catch (const UserError&) {
      return true;
    }
    return false;
  };
  CHECK(refused({.num_ranks = 0}));
  CHECK(refused({.num_ranks = 1 << 20}));
  CHECK(refused({.num_ranks = 2, .ring_bytes = 5000}));
  CHECK(refused({.num_ranks = 2, .arena_bytes = std::uint64_t{1} << 60}));
  CHECK(refused({.num_ranks = 2, .host_prefix = std::string(36, 'a')}));
  CHECK(refused({.num_ranks = 2, .host_digits = 0}));
  CHECK(!refused({.num_ranks = 2, .host_prefix = std::string(35, 'a'), .host_digits = 9}));
}

}  // namespace odonata::libmpi::tests::live_test
