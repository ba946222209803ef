// Delays of packets are kept as they were, however many and long they are.
#include "odonata/engine/waits.hpp"

#include <array>
#include <vector>

#include "check.hpp"

namespace odonata::tests::engine_waits_test {
namespace {

constexpr std::int32_t local = 3, global = 6;
constexpr Time born = 700;

Queued waited(Time queue, Time credit) { return {queue + credit, credit}; }

constexpr Delayed undelayed{Waits::nowhere, born};

std::vector<Delay> told(Waits& waits, Delayed packet) {
  const auto delays = waits.tell(packet);
  return {delays.begin(), delays.end()};
}

}  // namespace

TEST("waits/a message lacks credit at its NIC from its hand-over on") {
  Waits waits;
  waits.hand_over(2, 100);
  CHECK_EQUAL(waits.credit_of(2, 130), 30);
  waits.lack(5, 30);
  waits.lack(3, 20);
  CHECK_EQUAL(waits.lacked(5), 30);
  CHECK_EQUAL(waits.lacked(3), 20);
}

TEST("waits/a link delays by its queue, for want of credit and by its rate, in this order") {
  Waits waits;
  Delayed packet{waits.add(undelayed, {local, 1000, 1040}, {}), born};
  packet.next = waits.add(packet, {global, 1600, 1900}, waited(140, 60));
  const std::vector<Delay> expected{{1000, {WayPart::transmission, local, 40}},
                                    {1600, {WayPart::queue, global, 140}},
                                    {1740, {WayPart::credit, global, 60}},
                                    {1800, {WayPart::transmission, global, 100}}};
  CHECK(told(waits, packet) == expected);
}

TEST("waits/a delay may be for want of credit alone") {
  Waits waits;
  const Delayed packet{waits.add(undelayed, {local, 1000, 1040}, waited(0, 40)), born};
  CHECK((told(waits, packet) == std::vector<Delay>{{1000, {WayPart::credit, local, 40}}}));
}

TEST("waits/a slower link is kept beside the delays behind it, unless its times are long") {
  constexpr Time word = Time{1} << 32;
  Waits waits;
  waits.admit(1);
  CHECK(waits.slow_down(1, 300, 40));
  CHECK(waits.slow_down(0, word - 1, word - 2));
  CHECK(!waits.slow_down(0, word, 40));
  CHECK(!waits.slow_down(0, 300, word));
  const Delayed packet{waits.add(undelayed, {local, 1100, 1101}, waited(1, 0)), born};
  CHECK_EQUAL(Time{waits.slower(1).begin}, 300);
  CHECK_EQUAL(Time{waits.slower(1).time}, 40);
  CHECK_EQUAL(Time{waits.slower(0).begin}, word - 1);
  CHECK_EQUAL(Time{waits.slower(0).time}, word - 2);
  CHECK((told(waits, packet) == std::vector<Delay>{{1100, {WayPart::queue, local, 1}}}));
}

TEST("waits/a packet in a queue keeps what has delayed it before") {
  for (const int before : {0, 1, 2, 3, 4, 6, 7}) {
    Waits waits;
    Delayed packet = undelayed;
    std::vector<Delay> expected;
    for (int i = 0; i < before; ++i) {
      packet.next = waits.add(packet, {local, 800, 803}, {});
      expected.push_back({800, {WayPart::transmission, local, 3}});
    }
    CHECK_EQUAL(Waits::has_place(packet.next), before % 3 != 0);
    packet.next = waits.place_for(packet.next);
    CHECK(Waits::has_place(packet.next));
    waits.join(packet.next, {900, 70});
    CHECK_EQUAL(waits.joined(packet.next).time, 900);
    CHECK_EQUAL(waits.joined(packet.next).stalled, 70);
    CHECK(told(waits, packet) == expected);
    packet.next = waits.keep(packet, {global, 950, 960}, waits.joined(packet.next).until(910, 70));
    expected.push_back({950, {WayPart::queue, global, 10}});
    CHECK(told(waits, packet) == expected);
  }
}

TEST("waits/a queue that does not make its packet late leaves nothing") {
  Waits waits;
  Delayed packet{waits.place_for(Waits::nowhere), born};
  waits.join(packet.next, {900, 70});
  CHECK_EQUAL(waits.keep(packet, {local, 950, 950}, {10, 0}), packet.next);
  CHECK(told(waits, packet).empty());
  packet.next = waits.keep(packet, {global, 960, 961}, {10, 0});
  CHECK((told(waits, packet) == std::vector<Delay>{{960, {WayPart::queue, global, 1}}}));
  waits.give_back(packet.next);
  CHECK_EQUAL(waits.num_trails(), std::size_t{0});
}

TEST("waits/a packet has nothing of those that had its trails before") {
  Waits waits;
  for (const int delays : {7, 1, 12, 4, 2, 12, 3, 7}) {
    std::array<Delayed, 2> packets{undelayed, undelayed};
    std::array<std::vector<Delay>, 2> expected;
    for (int i = 1; i <= delays; ++i)
      for (std::size_t which = 0; which < 2; ++which) {
        const Time time = i + static_cast<Time>(which);
        const Lateness late{local, 800, 800 + time};
        packets[which].next = waits.add(packets[which], late, waited(time, 0));
        expected[which].push_back({800, {WayPart::queue, local, time}});
      }
    CHECK_EQUAL(waits.num_trails(), 2 * static_cast<std::size_t>((delays + 2) / 3));
    for (std::size_t which = 0; which < 2; ++which) {
      waits.give_back(packets[which].next);
      CHECK(told(waits, packets[which]) == expected[which]);
    }
    CHECK_EQUAL(waits.num_trails(), std::size_t{0});
  }
  CHECK_EQUAL(waits.most_trails(), std::size_t{8});  // four of each with twelve delays
}

TEST("waits/the latest trail that fell free is given first") {
  Waits waits;
  const std::uint32_t one = waits.place_for(Waits::nowhere);
  const std::uint32_t two = waits.place_for(Waits::nowhere);
  CHECK(one != two);
  waits.give_back(two);
  waits.give_back(one);
  CHECK_EQUAL(waits.num_trails(), std::size_t{0});
  CHECK_EQUAL(waits.place_for(Waits::nowhere), one);
  CHECK_EQUAL(waits.place_for(Waits::nowhere), two);
  CHECK_EQUAL(waits.num_trails(), std::size_t{2});
}

TEST("waits/a packet without a trail gives nothing back") {
  Waits waits;
  waits.give_back(Waits::nowhere);
  const std::uint32_t one = waits.place_for(Waits::nowhere);
  waits.give_back(Waits::nowhere);
  CHECK_EQUAL(waits.num_trails(), std::size_t{1});
  CHECK(waits.place_for(Waits::nowhere) != one);
  CHECK_EQUAL(waits.num_trails(), std::size_t{2});
}

TEST("waits/a trail is full with three delays, and has nothing of another packet's earlier ones") {
  const Lateness late{local, 900, 901};
  Waits waits;
  CHECK(!Waits::has_place(undelayed.next));
  Delayed packet{waits.place_for(Waits::nowhere), born};
  for (int i = 0; i < 3; ++i) {
    CHECK(Waits::has_place(packet.next));
    packet.next = waits.add(packet, {local, 800, 805}, {});
  }
  CHECK(!Waits::has_place(packet.next));
  CHECK_EQUAL(waits.num_trails(), std::size_t{1});
  packet.next = waits.add(packet, late, {});
  CHECK(Waits::has_place(packet.next));
  CHECK_EQUAL(waits.num_trails(), std::size_t{2});
  waits.give_back(packet.next);
  // the next packet has one delay, and a long one that is alone in a trail
  constexpr Time word = Time{1} << 32;
  packet.next = waits.add(undelayed, late, {});
  CHECK((told(waits, packet) == std::vector<Delay>{{900, {WayPart::transmission, local, 1}}}));
  packet.next = waits.add(packet, {global, 950, 950 + word}, waited(word, 0));
  CHECK(Waits::has_place(packet.next));
  const std::vector<Delay> expected{{900, {WayPart::transmission, local, 1}},
                                    {950, {WayPart::queue, global, word}}};
  CHECK(told(waits, packet) == expected);
}

TEST("waits/a long delay in the queue that a packet has joined takes the trail that it has") {
  constexpr Time word = Time{1} << 32;
  Waits waits;
  Delayed packet{waits.place_for(Waits::nowhere), born};
  waits.join(packet.next, {900, 70});
  packet.next =
      waits.add(packet, {global, 950, 950 + word}, waits.joined(packet.next).until(900 + word, 70));
  CHECK((told(waits, packet) == std::vector<Delay>{{950, {WayPart::queue, global, word}}}));
  CHECK_EQUAL(waits.num_trails(), std::size_t{2});  // and one that has places
}

TEST("waits/every delay is kept, as many as there are") {
  for (const Time hops : {1, 2, 3, 4, 5, 20}) {  // some have room in a trail, and some don't
    Waits waits;
    std::vector<Delay> expected;
    Delayed packet = undelayed, other = undelayed;
    for (Time hop = 1; hop <= hops; ++hop) {
      const Time begin = born + 200 * hop;
      packet.next = waits.add(packet, {local, begin, begin + hop}, waited(hop, 0));
      other.next = waits.add(other, {global, begin, begin + 9}, {});
      expected.push_back({begin, {WayPart::queue, local, hop}});
    }
    CHECK(told(waits, packet) == expected);
    CHECK_EQUAL(told(waits, other).size(), expected.size());
    // the next packet has nothing of the one before
    waits.give_back(packet.next);
    packet.next = waits.add(undelayed, {global, 800, 810}, {});
    CHECK((told(waits, packet) == std::vector<Delay>{{800, {WayPart::transmission, global, 10}}}));
    CHECK_EQUAL(told(waits, other).size(), expected.size());
  }
}

TEST("waits/a tail that is later than its head takes the queue of the head") {
  Waits waits;
  // The head waited 90, 60 of them without credit, and the tail is later by 70 or 20.
  Delayed packet{waits.add(undelayed, {local, 800, 870}, {90, 60}), born};
  packet.next = waits.add(packet, {global, 1000, 1020}, {90, 60});
  const std::vector<Delay> expected{{800, {WayPart::queue, local, 10}},
                                    {810, {WayPart::credit, local, 60}},
                                    {1000, {WayPart::credit, global, 20}}};
  CHECK(told(waits, packet) == expected);
}

TEST("waits/a delay fits that ends as long after its packet's start as a word has picoseconds") {
  constexpr Time word = Time{1} << 32;
  CHECK(Waits::fits(undelayed, born + word - 1));
  CHECK(!Waits::fits(undelayed, born + word));
}

TEST("waits/delays that are long or begin late are kept to the picosecond") {
  constexpr Time longest = Piece::longest, word = Time{1} << 32;
  Waits waits;
  Delayed packet{waits.add(undelayed, {local, 1000, 1007}, {}), born};
  packet.next = waits.add(packet, {global, 2000, 2000 + word}, waited(word, 0));
  const Time late = 3000 + word;
  packet.next = waits.add(packet, {local, late, late + longest + 5}, waited(longest + 5, 0));
  const std::vector<Delay> expected{{1000, {WayPart::transmission, local, 7}},
                                    {2000, {WayPart::queue, global, word}},
                                    {late, {WayPart::queue, local, longest + 1}},
                                    {late + longest + 1, {WayPart::queue, local, 4}}};
  CHECK(told(waits, packet) == expected);
  packet.next = waits.add(undelayed, {local, born + word, born + word + 4}, {});
  CHECK((told(waits, packet) ==
         std::vector<Delay>{{born + word, {WayPart::transmission, local, 4}}}));
  packet.next = waits.add(undelayed, {local, born + word - 1, born + word + 4}, {});
  CHECK((told(waits, packet) ==
         std::vector<Delay>{{born + word - 1, {WayPart::transmission, local, 5}}}));
}

}  // namespace odonata::tests::engine_waits_test
