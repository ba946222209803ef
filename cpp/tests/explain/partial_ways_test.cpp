// PartialWays keep all pieces of ways.
#include "odonata/explain/partial_ways.hpp"

#include <vector>

#include "check.hpp"
#include "odonata/event/clock.hpp"

namespace odonata::tests::partial_ways_test {
namespace {

std::vector<Time> times_of(PartialWays& ways, std::uint32_t packet) {
  std::vector<Time> times;
  for (const Piece& piece : ways.tell(ways[packet])) times.push_back(piece.time());
  return times;
}

std::vector<Time> up_to(Time last) {
  std::vector<Time> times;
  for (Time time = 1; time <= last; ++time) times.push_back(time);
  return times;
}

}  // namespace

TEST("partial ways/each has all of its pieces, whatever others have") {
  PartialWays ways;
  for (const Time first : {40, 12, 13, 19, 20}) {
    const Time second = 50 - first;
    ways.begin(0);
    ways.begin(1);
    for (Time time = 1; time <= 50; ++time) {
      if (time <= first) ways.add(ways[0], WayPart::queue, 3, time);
      if (time <= second) ways.add(ways[1], WayPart::wire, 4, time);
    }
    CHECK(times_of(ways, 0) == up_to(first));
    CHECK(times_of(ways, 1) == up_to(second));
  }
  CHECK(times_of(ways, 0).size() == 20);
  ways.begin(0);
  CHECK(times_of(ways, 0).empty());
  CHECK(times_of(ways, 1) == up_to(30));
}

TEST("partial ways/a long time takes two pieces, and none takes none") {
  PartialWays ways;
  ways.begin(7);
  ways.add(ways[7], WayPart::queue, 3, 0);
  constexpr Time unit = Piece::longest + 1;
  ways.add(ways[7], WayPart::queue, 3, 1000 * unit + 5);
  CHECK((times_of(ways, 7) == std::vector<Time>{1000 * unit, 5}));
  ways.begin(7);
  ways.add(ways[7], WayPart::wire, 0xffffff, latest);
  CHECK((times_of(ways, 7) == std::vector<Time>{latest}));
  const Piece piece{WayPart::node_bytes, 0xffffff, latest};
  CHECK(piece.part() == WayPart::node_bytes && piece.link() == 0xffffff);
}

}  // namespace odonata::tests::partial_ways_test
