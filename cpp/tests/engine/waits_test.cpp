// The times of a way come out of what is kept of its delays.
#include "odonata/engine/waits.hpp"

#include <vector>

#include "check.hpp"

namespace odonata::tests::engine_waits_test {
namespace {

constexpr std::int32_t local = 3, global = 6;

std::vector<Piece> pieces_of(const WayTimes& way) { return {way.delays.begin(), way.delays.end()}; }

WayTimes told(const Waits& waits, std::uint32_t packet, std::uint8_t count) {
  WayTimes way;
  waits.tell(packet, count, way);
  return way;
}

}  // namespace

TEST("waits/a message lacks credit at its NIC from its hand-over on") {
  Waits waits;
  waits.hand_over(2, 100);
  CHECK_EQUAL(waits.credit_of(2, 130), 30);
}

TEST("waits/a way has its delays and the wires between them") {
  Waits waits;
  waits.credit(5) = 30;
  std::uint8_t count = waits.slow_down(5, 0, {local, 1000, 1040});
  waits.joined(5) = {1500, 200};
  count = waits.wait(5, count, {global, 1600, 1900}, 1700, 260);
  const WayTimes way = told(waits, 5, count);
  CHECK_EQUAL(way.delayed, 1000);
  // 200 in the queue, 60 of them without credit
  const std::vector<Piece> expected{{WayPart::transmission, local, 40},
                                    {WayPart::wire, 0, 560},
                                    {WayPart::queue, global, 140},
                                    {WayPart::credit, global, 60},
                                    {WayPart::transmission, global, 100}};
  CHECK(pieces_of(way) == expected);
  CHECK_EQUAL(waits.credit(5), 30);
}

TEST("waits/a wait alone begins the delays, and a slower link may follow") {
  Waits waits;
  waits.joined(0) = {300, 10};
  std::uint8_t count = waits.wait(0, 0, {local, 400, 450}, 350, 10);
  CHECK_EQUAL(told(waits, 0, count).delayed, 400);
  CHECK((pieces_of(told(waits, 0, count)) == std::vector<Piece>{{WayPart::queue, local, 50}}));
  count = waits.slow_down(0, count, {global, 450, 457});
  CHECK_EQUAL(told(waits, 0, count).delayed, 400);
  CHECK((pieces_of(told(waits, 0, count)) ==
         std::vector<Piece>{{WayPart::queue, local, 50}, {WayPart::transmission, global, 7}}));
}

TEST("waits/every delay is kept, as many as there are") {
  for (const Time hops : {1, 4, 5, 6, 7, 20}) {  // some have room in a trail, and some don't
    Waits waits;
    std::vector<Piece> expected;
    std::uint8_t count = 0, other = 0;
    for (Time hop = 1; hop <= hops; ++hop) {
      waits.joined(0) = {200 * hop - hop, 0};
      count = waits.wait(0, count, {local, 200 * hop, 200 * hop + hop}, 200 * hop, 0);
      other = waits.slow_down(1, other, {global, 200 * hop, 200 * hop + 9});
      if (hop > 1) expected.emplace_back(WayPart::wire, 0, 200 - (hop - 1));
      expected.emplace_back(WayPart::queue, local, hop);
    }
    CHECK(pieces_of(told(waits, 0, count)) == expected);
    CHECK_EQUAL(told(waits, 1, other).delays.size(), static_cast<std::size_t>(2 * hops - 1));
    // the next packet in the slot has nothing of the one before
    count = waits.slow_down(0, 0, {local, 600, 610});
    CHECK_EQUAL(told(waits, 0, count).delayed, 600);
    CHECK((pieces_of(told(waits, 0, count)) ==
           std::vector<Piece>{{WayPart::transmission, local, 10}}));
  }
}

TEST("waits/a long delay or wire takes several pieces") {
  constexpr Time longest = Piece::longest;
  Waits waits;
  std::uint8_t count = waits.slow_down(0, 0, {local, 100, 100 + longest + 5});
  waits.joined(0) = {3 * longest, 0};
  const Time tail = 100 + longest + 5 + longest + 1;
  count = waits.wait(0, count, {global, tail, tail + 2 * longest}, 5 * longest, 0);
  const std::vector<Piece> expected{{WayPart::transmission, local, longest},
                                    {WayPart::transmission, local, 5},
                                    {WayPart::wire, 0, longest},
                                    {WayPart::wire, 0, 1},
                                    {WayPart::queue, global, longest},
                                    {WayPart::queue, global, longest}};
  CHECK(pieces_of(told(waits, 0, count)) == expected);
}

}  // namespace odonata::tests::engine_waits_test
