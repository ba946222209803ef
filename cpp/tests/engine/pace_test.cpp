// The pace of a message, from passages that are told by hand: a line of two nodes at two routers.
#include "odonata/engine/pace.hpp"

#include <map>
#include <utility>

#include "check.hpp"

namespace odonata::tests::pace_test {
namespace {

enum Link : std::uint32_t { nic = 0, other_nic = 1, last = 3, between = 4 };

constexpr Time latency = 10, router = 5, hop = latency + router, credit = 7;  // [ps]
constexpr Time slow = 100, fast = 40;  // [ps] of a packet: between routers, and elsewhere

// A packet of 1,000 B takes 40 ps on the links of nodes and 100 ps between the routers.
Machine line() {
  Machine machine;
  machine.router_delay = router;
  machine.classes = {{"node", {25'000'000'000'000}, latency, 4000, credit},
                     {"between", {10'000'000'000'000}, latency, 4000, credit}};
  machine.node_router = {0, 1};
  machine.links = {{0, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 1}};
  return machine;
}

using Times = std::map<std::pair<WayPart, std::int32_t>, Time>;

struct Told {
  Machine machine = line();
  Passages passages;
  Pace pace{machine, passages};

  explicit Told(std::size_t size = 1024) : passages(5, size, 2) {}

  std::uint64_t add(Link link, Time start, Time end, std::uint64_t before = Passage::none,
                    std::uint32_t vc = 0) {
    return passages.add(
        {start, end, Passage::none, Passage::none, Passage::none, link & 0xffffffU, vc & 0xffU},
        before);
  }
  // Up to the latest passage that is known.
  Times tell(Paced paced, std::uint64_t latest) {
    paced.latest = latest;
    Times times;
    for (const Piece& piece : pace.tell(paced)) times[{piece.part(), piece.link()}] += piece.time();
    return times;
  }
  Times tell(const Paced& paced) { return tell(paced, passages.latest()); }
};

}  // namespace

TEST("pace/packets that queue at a slow link follow that link alone") {
  Told told;
  const std::uint64_t a = told.add(nic, 0, fast);
  const std::uint64_t b = told.add(between, hop, hop + slow, a);
  const std::uint64_t c = told.add(nic, fast, 2 * fast);
  const std::uint64_t d = told.add(between, hop + slow, hop + 2 * slow, c);
  const std::uint64_t e = told.add(last, 2 * hop + slow, 2 * hop + 2 * slow, d);
  CHECK(b != d);
  CHECK((told.tell({e, 0, 0, 0, true, false, true}) ==
         Times{{{WayPart::wire, nic}, hop},
               {{WayPart::serialization, between}, 2 * slow},
               {{WayPart::wire, between}, hop},
               {{WayPart::wire, last}, latency}}));
}

TEST("pace/a wait behind another message counts with what that one sent") {
  Told told;
  told.add(between, 0, slow);
  const std::uint64_t a = told.add(nic, 20, 20 + fast);
  const std::uint64_t b = told.add(between, slow, 2 * slow, a);
  const Time waited = slow - 20 - hop;
  CHECK((told.tell({b, 0, 20, 20, false, false, false}) ==
         Times{{{WayPart::wire, nic}, hop}, {{WayPart::serialization, between}, waited + slow}}));
}

TEST("pace/a credit leads to the link behind the buffer") {
  Told told;
  const std::uint64_t a = told.add(nic, 0, fast);
  told.add(between, hop, hop + slow, a);
  const std::uint64_t b = told.add(nic, hop + slow + credit, hop + slow + credit + fast);
  // Handed over when the NIC was free again, the message waits for the credit of the other's
  // packet.
  CHECK((told.tell({b, 0, fast, hop + slow + credit, false, false, false}) ==
         Times{{{WayPart::credit, nic}, credit},
               {{WayPart::serialization, between}, hop + slow - fast},
               {{WayPart::serialization, nic}, fast}}));
}

TEST("pace/a credit is of the virtual channel that waits") {
  Told told;
  const std::uint64_t a = told.add(nic, 0, fast, Passage::none, 1);
  const Time left = hop + slow;
  told.add(between, hop, left, a);
  told.add(nic, fast, 2 * fast);
  const std::uint64_t b = told.add(nic, left + credit, left + credit + fast);
  CHECK((told.tell({b, 0, 2 * fast, left + credit, false, false, false}) ==
         Times{{{WayPart::queue, nic}, left + credit - 2 * fast},
               {{WayPart::serialization, nic}, fast}}));
}

TEST("pace/a credit that came from a packet that waited costs nothing of its own") {
  Told told;
  told.add(last, 0, 200);
  const std::uint64_t a = told.add(other_nic, 0, fast);
  const std::uint64_t b = told.add(between, hop, hop + slow, a);
  const std::uint64_t c = told.add(nic, 100, 100 + fast);
  told.add(last, 200, 200 + fast, b);
  const Time start = 200 + fast + credit;
  const std::uint64_t d = told.add(between, start, start + slow, c);
  CHECK((told.tell({d, 0, 100, 100, false, false, false}) ==
         Times{{{WayPart::wire, nic}, hop},
               {{WayPart::serialization, last}, start - 100 - hop},
               {{WayPart::serialization, between}, slow}}));
}

TEST("pace/a NIC that was busy before a message waits for credit of its own packets") {
  Told told;
  const std::uint64_t a = told.add(nic, 0, fast);
  told.add(nic, fast, 2 * fast);
  told.add(between, hop, hop + slow, a);
  const Time start = hop + slow + credit;
  const std::uint64_t b = told.add(nic, start, start + fast);
  CHECK((told.tell({b, 0, 0, fast, true, true, false}) ==
         Times{{{WayPart::wire, nic}, hop},
               {{WayPart::serialization, between}, slow},
               {{WayPart::credit, nic}, credit},
               {{WayPart::serialization, nic}, fast}}));
}

TEST("pace/what is forgotten counts with the link that was waited for") {
  Told told(4);
  told.add(between, 0, slow);
  const std::uint64_t a = told.add(nic, 20, 20 + fast);
  for (int i = 0; i < 2; ++i) told.add(other_nic, 30 + i * fast, 30 + (i + 1) * fast);
  const std::uint64_t b = told.add(between, slow, 2 * slow, a);
  CHECK((told.tell({b, 0, 20, 20, false, false, false}) ==
         Times{{{WayPart::wire, nic}, hop},
               {{WayPart::queue, between}, slow - 20 - hop},
               {{WayPart::serialization, between}, slow}}));
  told.add(other_nic, 200, 240);
  CHECK(told.tell({b, 0, 20, 20, false, false, false}).empty());
}

TEST("pace/what a message did before all that is known counts with its slowest link") {
  Told told(4);
  const std::uint64_t a = told.add(nic, 0, fast);
  const std::uint64_t b = told.add(nic, fast, 2 * fast);
  told.add(between, hop, hop + slow, a);
  const std::uint64_t c = told.add(between, hop + slow, hop + 2 * slow, b);
  const std::uint64_t d = told.add(last, 2 * hop + slow, 2 * hop + 2 * slow, c);
  CHECK((told.tell({d, 0, 0, 0, true, false, true}) ==
         Times{{{WayPart::wire, nic}, hop},
               {{WayPart::serialization, between}, 2 * slow},
               {{WayPart::wire, between}, hop},
               {{WayPart::wire, last}, latency}}));
}

}  // namespace odonata::tests::pace_test
