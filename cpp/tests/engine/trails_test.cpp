// Trails keep all pieces of ways, and the times of a way come out of what is noted of its delays.
#include "odonata/engine/trails.hpp"

#include <vector>

#include "check.hpp"
#include "odonata/engine/waits.hpp"

namespace odonata::tests::trails_test {
namespace {

std::vector<Time> times_of(Trails& trails, std::uint32_t packet) {
  std::vector<Time> times;
  for (const Piece& piece : trails.tell(trails[packet])) times.push_back(piece.time());
  return times;
}

std::vector<Time> up_to(Time last) {
  std::vector<Time> times;
  for (Time time = 1; time <= last; ++time) times.push_back(time);
  return times;
}

}  // namespace

TEST("trails/each has all of its pieces, whatever others have") {
  Trails trails;
  for (const Time first : {40, 11, 12, 18, 19}) {
    const Time second = 50 - first;
    trails.begin(0);
    trails.begin(1);
    for (Time time = 1; time <= 50; ++time) {
      if (time <= first) trails.add(trails[0], WayPart::queue, 3, time);
      if (time <= second) trails.add(trails[1], WayPart::wire, 4, time);
    }
    CHECK(times_of(trails, 0) == up_to(first));
    CHECK(times_of(trails, 1) == up_to(second));
  }
  CHECK(times_of(trails, 0).size() == 19);
  trails.begin(0);
  CHECK(times_of(trails, 0).empty());
  CHECK(times_of(trails, 1) == up_to(31));
}

TEST("trails/a long time takes several pieces, and none takes none") {
  Trails trails;
  trails.begin(7);
  trails.add(trails[7], WayPart::queue, 3, 0);
  trails.add(trails[7], WayPart::queue, 3, 2 * Piece::longest + 5);
  CHECK((times_of(trails, 7) == std::vector<Time>{Piece::longest, Piece::longest, 5}));
}

TEST("waits/a way has its waits, the wires between them and its credit at the NIC") {
  Waits waits;
  constexpr std::int32_t nic = 1, local = 3, global = 6;
  waits.hand_over(2, 100);
  CHECK_EQUAL(waits.credit(2, 130), 30);
  waits.begin(5, 30);
  waits.slow_down(5, true, {local, 1000, 1040});
  waits.enqueue(5, true, 1500, 200);
  waits.wait(5, {global, 1600, 1900}, 1700, 260);  // 200 in the queue, 60 of them without credit
  WayTimes way;
  way.queue = way.credit = 700;
  way.wires = 2500;
  waits.follow(5, nic, way);
  CHECK_EQUAL(way.queue, 670);
  CHECK_EQUAL(way.credit, 700);
  CHECK_EQUAL(way.wires, 1000);
  CHECK_EQUAL(way.rest, 2500);
  const std::vector<Piece> expected{{WayPart::transmission, local, 40},
                                    {WayPart::wire, 0, 560},
                                    {WayPart::queue, global, 140},
                                    {WayPart::credit, global, 60},
                                    {WayPart::transmission, global, 100}};
  CHECK(std::vector<Piece>(way.waits.begin(), way.waits.end()) == expected);
}

TEST("waits/a packet that only lacked credit at its NIC has no other delay") {
  Waits waits;
  waits.begin(0, 20);
  WayTimes way;
  way.queue = way.credit = 50;
  way.wires = 400;
  waits.follow(0, 1, way);
  CHECK_EQUAL(way.queue, 30);
  CHECK_EQUAL(way.wires, 400);
  CHECK(way.waits.empty());
}

TEST("waits/the next packet in a slot has nothing of the one before") {
  for (const Time hops : {1, 20}) {  // as many as have room in a trail, or more
    Waits waits;
    waits.begin(0, 20);
    waits.enqueue(0, true, 100, 0);
    for (Time hop = 1; hop <= hops; ++hop)
      waits.wait(0, {3, 200 * hop, 200 * hop + 50}, 190 * hop, 0);
    for (const Time first : {600, 700}) {
      waits.slow_down(0, false, {3, first, first + 10});
      WayTimes way;
      way.queue = way.credit = 50;
      waits.follow(0, 1, way);
      CHECK_EQUAL(way.queue, 50);
      CHECK_EQUAL(way.wires, first);
      CHECK_EQUAL(way.waits.size(), std::size_t{1});
    }
  }
}

}  // namespace odonata::tests::trails_test
