#include "odonata/placement/spread.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

#include "odonata/random/draws.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

struct Ends {
  std::size_t first;
  std::size_t last;
};

// All pairs of ends with room for `count` nodes whose span is nearest to the wanted one.
std::vector<Ends> nearest_ends(const std::vector<std::int64_t>& numbers, std::size_t count,
                               std::int64_t span) {
  std::vector<Ends> found;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto consider = [&](std::size_t first, std::size_t last) {
    const std::int64_t off = std::abs(numbers[last] - numbers[first] - span);
    if (off < least) found.clear(), least = off;
    if (off == least) found.push_back({first, last});
  };
  for (std::size_t first = 0; first + count <= numbers.size(); ++first) {
    const auto nearest = numbers.begin() + static_cast<std::ptrdiff_t>(first + count - 1);
    const auto behind = std::lower_bound(nearest, numbers.end(), numbers[first] + span);
    if (behind != numbers.end())
      consider(first, static_cast<std::size_t>(behind - numbers.begin()));
    if (behind != nearest) consider(first, static_cast<std::size_t>(behind - numbers.begin()) - 1);
  }
  return found;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> spans_of(const std::vector<std::int64_t>& numbers,
                                               int count) {
  if (count < 2 || static_cast<std::size_t>(count) > numbers.size())
    throw UserError("allocation: nodes of a spread", count,
                    "2 to " + std::to_string(numbers.size()) + ", which are free");
  const auto behind = static_cast<std::size_t>(count) - 1;
  std::int64_t least = numbers.back() - numbers.front();
  for (std::size_t first = 0; first + behind < numbers.size(); ++first)
    least = std::min(least, numbers[first + behind] - numbers[first]);
  return {least, numbers.back() - numbers.front()};
}

std::vector<std::int32_t> spread(const std::vector<std::int64_t>& numbers, int count,
                                 std::int64_t span, std::uint64_t seed, int job) {
  static_cast<void>(spans_of(numbers, count));
  const Draws draws(seed, Purpose::allocation, static_cast<std::uint64_t>(job));
  const std::vector<Ends> all = nearest_ends(numbers, static_cast<std::size_t>(count), span);
  const Ends ends = all[draws.below(0, static_cast<std::uint32_t>(all.size()))];
  // Selection sampling (Knuth, TAOCP 2, 3.4.2, algorithm S) between the ends.
  std::vector<std::int32_t> chosen{static_cast<std::int32_t>(ends.first)};
  auto wanted = static_cast<std::uint32_t>(count) - 2;
  auto left = static_cast<std::uint32_t>(ends.last - ends.first - 1);
  for (std::size_t at = ends.first + 1; at < ends.last; ++at, --left) {
    if (draws.below(at, left) >= wanted) continue;
    chosen.push_back(static_cast<std::int32_t>(at));
    --wanted;
  }
  chosen.push_back(static_cast<std::int32_t>(ends.last));
  return chosen;
}

}  // namespace odonata
