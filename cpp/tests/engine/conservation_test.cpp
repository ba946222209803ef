// Checks of the end of a run fail where a run stops halfway or goes wrong.

#include <string>

#include "check.hpp"
#include "odonata/engine/analytic.hpp"
#include "odonata/engine/packet.hpp"
#include "odonata/machine/families/star/star.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::conservation_test {

namespace {

struct Nobody final : Receiver {
  void delivered(std::uint32_t, Delivery) override {}
  void injected(std::uint32_t) override {}
};

LinkClass link_class(const char* name) { return {name, Rate{1'000'000'000}, 1000, 4096, 1000}; }

/// A network of two nodes.
template <class Engine>
struct Small {
  Machine machine = make_star(
      {{"two", 1, 0, 0, Rate{1'000'000'000}}, 2, link_class("injection"), link_class("ejection")});
  Clock clock;
  Nobody nobody;
  NoObserver observer;
  Engine network{machine, EngineOptions{}, clock, nobody, observer};

  void send(Bytes bytes) { network.send(0, {0, 1, bytes, false}); }
  void run() {
    while (!clock.queue.empty()) {
      const Event event = clock.queue.pop();
      clock.now = event.time;
      network.process(event);
    }
  }
  /// Description of losses at `end`; empty without losses.
  std::string missing(Time end) const {
    try {
      network.check_conservation(end);
    } catch (const InternalError& error) {
      return error.what();
    }
    return "";
  }
};

constexpr Time long_after = 1'000'000'000'000;

}  // namespace

TEST("conservation/a whole run keeps everything") {
  Small<PacketNetwork<NoObserver>> packet;
  packet.send(3000);
  packet.run();
  CHECK_EQUAL(packet.missing(packet.clock.now), "");
  Small<AnalyticNetwork<NoObserver>> analytic;
  analytic.send(3000);
  analytic.run();
  CHECK_EQUAL(analytic.missing(analytic.clock.now), "");
}

TEST("conservation/bytes that are on their way are missed") {
  Small<PacketNetwork<NoObserver>> packet;
  packet.send(1000);
  CHECK_EQUAL(
      packet.missing(long_after),
      "conservation: message of 1000 B from port 0 to port 1: received [B]: 0; expected: 1000");
  Small<AnalyticNetwork<NoObserver>> analytic;
  analytic.send(1000);
  CHECK_EQUAL(analytic.missing(long_after),
              "conservation: all messages: received [B]: 0; expected: 1000");
}

TEST("conservation/a packet without bytes is missed, too") {
  Small<PacketNetwork<NoObserver>> packet;
  packet.send(0);
  CHECK_EQUAL(
      packet.missing(long_after),
      "conservation: message of 0 B from port 0 to port 1, at link 0: packets in the network: "
      "1; expected: 0");
}

TEST("conservation/bytes that cannot be counted are refused") {
  Bytes sum = 0;
  add_bytes(sum, never - 1);
  add_bytes(sum, 1);
  CHECK_EQUAL(sum, never);
  CHECK_THROWS(UserError, add_bytes(sum, 1));
}

TEST("conservation/a link cannot have been busy for longer than the run") {
  Small<PacketNetwork<NoObserver>> packet;
  packet.send(1000);
  packet.run();
  CHECK_EQUAL(packet.missing(1'000'000), "");  // 1000 B at 1 B/ns
  CHECK_EQUAL(packet.missing(999'999),
              "conservation: link 0: time busy [ps]: 1000000; expected: 999999");
}

TEST("conservation/room that a packet never gave back is missed") {
  Small<PacketNetwork<NoObserver>> packet;
  packet.send(1000);
  packet.network.process({0, key_of(Kind::deliver, 0)});  // out of the buffer, as if by magic
  CHECK_EQUAL(packet.missing(long_after),
              "conservation: buffer of link 0, virtual channel 0: reserved [B]: 1000; expected: 0");
}

}  // namespace odonata::tests::conservation_test
