// Trails keep all pieces of ways.
#include "odonata/explain/trails.hpp"

#include <vector>

#include "check.hpp"
#include "odonata/event/clock.hpp"

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
  for (const Time first : {40, 12, 13, 19, 20}) {
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
  CHECK(times_of(trails, 0).size() == 20);
  trails.begin(0);
  CHECK(times_of(trails, 0).empty());
  CHECK(times_of(trails, 1) == up_to(30));
}

TEST("trails/a long time takes two pieces, and none takes none") {
  Trails trails;
  trails.begin(7);
  trails.add(trails[7], WayPart::queue, 3, 0);
  constexpr Time unit = Piece::longest + 1;
  trails.add(trails[7], WayPart::queue, 3, 1000 * unit + 5);
  CHECK((times_of(trails, 7) == std::vector<Time>{1000 * unit, 5}));
  trails.begin(7);
  trails.add(trails[7], WayPart::wire, 0xffffff, latest);
  CHECK((times_of(trails, 7) == std::vector<Time>{latest}));
  const Piece piece{WayPart::node_bytes, 0xffffff, latest};
  CHECK(piece.part() == WayPart::node_bytes && piece.link() == 0xffffff);
}

}  // namespace odonata::tests::trails_test
