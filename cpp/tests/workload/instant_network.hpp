// A network without physics for tests of what stands on it: every message takes a random delay,
// so messages overtake each other, and a sender may hear that its data left before or after they
// arrive. What works here doesn't depend on timing.
#pragma once

#include <algorithm>

#include "odonata/mpi/world.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests {

class InstantNetwork final : public Network {
 public:
  InstantNetwork(Clock& clock, Receiver& receiver, std::uint64_t seed, std::uint32_t most_delay)
      : clock_(clock), receiver_(receiver), draws_(seed, Purpose::shuffle, 0), most_(most_delay) {}

  void send(std::uint32_t message, const Transfer& transfer) override {
    most_under_way_ = std::max(most_under_way_, ++under_way_);
    clock_.at(clock_.now + delay(), Kind::deliver, message);
    if (transfer.tell_injected) clock_.at(clock_.now + delay(), Kind::injected, message);
  }
  void process(const Event& event) override {
    if (kind_of(event.key) == Kind::injected) return receiver_.injected(slot_of(event.key));
    --under_way_;
    receiver_.delivered(slot_of(event.key), {1, 1});
  }
  /// Most messages at a time that had been sent and not delivered.
  [[nodiscard]] std::int64_t most_under_way() const { return most_under_way_; }

  [[nodiscard]] LeastTime least_time() const override {
    throw InternalError("a network without physics has no least time");
  }
  [[nodiscard]] NetworkTotals totals() const override { return {}; }
  [[nodiscard]] std::vector<LinkStatistics> link_statistics() const override { return {}; }
  [[nodiscard]] std::vector<BufferStatistics> buffer_statistics() const override { return {}; }
  [[nodiscard]] std::vector<Bytes> waiting_by_class() const override { return {}; }
  void check_conservation(Time) const override {}

 private:
  Time delay() { return draws_.below(drawn_++, most_ + 1); }

  Clock& clock_;
  Receiver& receiver_;
  Draws draws_;
  std::uint32_t most_;  // [ps]
  std::uint64_t drawn_ = 0;
  std::int64_t under_way_ = 0, most_under_way_ = 0;
};

/// A world on an instant network.
struct InstantWorld {
  Clock clock;
  World world;
  InstantNetwork network;

  InstantWorld(const Machine& machine, const MpiOptions& options, std::uint64_t seed,
               std::uint32_t most_delay = 1000)
      : world(machine, options, clock, seed), network(clock, world.receiver(), seed, most_delay) {
    world.connect(network);
  }

  /// To the end; throws if a rank waits for ever.
  void run() {
    world.start();
    while (!clock.queue.empty()) {
      const Event event = clock.queue.pop();
      clock.now = event.time;
      const Kind kind = kind_of(event.key);
      if (kind == Kind::deliver || kind == Kind::injected)
        network.process(event);
      else
        world.process(event);
    }
    world.check_finished();
  }
};

}  // namespace odonata::tests
