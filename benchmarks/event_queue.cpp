// Cost of an event in the bucketed queue and in the standard library's heap.
//
// In the hold model, n events are pending; each step takes the earliest and adds one that is later
// by a random time, like a simulation in a steady state. Delays are as on a dragonfly: mostly a
// link and a router, sometimes a transmission, seldom a far event such as a source's next message.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <queue>
#include <vector>

#include "odonata/event/queue.hpp"

namespace {

using namespace odonata;

class Heap {
 public:
  void push(Time time, std::uint64_t key) { heap_.push({time, key}); }
  Event pop() {
    const Event event = heap_.top();
    heap_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return b < a; }
  };
  std::priority_queue<Event, std::vector<Event>, Later> heap_;
};

Time delay(const Draws& draws, std::uint64_t i) {
  const std::uint64_t bits = draws.bits(i);
  const auto jitter = static_cast<Time>(bits >> 48);  // [0, 65.5 ns)
  if (bits % 64 == 0) return 10'000'000 + jitter;      // 10 us
  return bits % 3 == 0 ? 217'873 + jitter : 110'000 + jitter;
}

// Nanoseconds of one pop and one push with `pending` events, the best of five runs.
template <class Queue>
double hold(std::size_t pending, std::uint64_t& sum) {
  constexpr std::uint64_t count = 2'000'000;
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    Queue queue;
    const Draws draws(1, Purpose::shuffle, pending);
    for (std::uint64_t i = 0; i < pending; ++i) queue.push(delay(draws, i), i);
    const std::clock_t begin = std::clock();  // of the processor: others don't count
    for (std::uint64_t i = 0; i < count; ++i) {
      const Event event = queue.pop();
      sum = mix(sum ^ static_cast<std::uint64_t>(event.time) ^ event.key);
      queue.push(event.time + delay(draws, pending + i), event.key);
    }
    const auto took = 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    best = std::min(best, took / static_cast<double>(count));
  }
  return best;
}

}  // namespace

int main() {
  std::printf("| pending events | bucketed [ns] | heap [ns] | ratio |\n|---:|---:|---:|---:|\n");
  for (const std::size_t pending : {100, 1'000, 10'000, 100'000, 1'000'000}) {
    std::uint64_t one = 0, other = 0;
    const double ours = hold<EventQueue>(pending, one);
    const double heap = hold<Heap>(pending, other);
    std::printf("| %zu | %.1f | %.1f | %.1f |\n", pending, ours, heap, heap / ours);
    if (one != other) return std::puts("the two queues disagree"), 1;
  }
}
