#include "odonata/placement/busy.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "odonata/random/draws.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

// Lublin and Feitelson (2003), all jobs together; shares are counted among jobs of several nodes.
constexpr double low_log2 = 0.8;
constexpr double middle_below_high = 2.5;
constexpr double low_stage = 0.86;
constexpr double powers_of_two = 0.576 / (1 - 0.244);

/// Sizes of jobs, one after the other.
class Sizes {
 public:
  Sizes(int num_nodes, const Draws& draws)
      : high_(std::log2(num_nodes)),
        middle_(std::max(low_log2, high_ - middle_below_high)),
        draws_(draws) {}

  /// The next size that is not above `most`.
  int next(int most) {
    int size = drawn_size();
    while (size > most) size = drawn_size();
    return size;
  }

 private:
  int drawn_size() {
    const bool low = draws_.real(drawn_) < low_stage;
    const double begin = low ? low_log2 : middle_, end = low ? middle_ : high_;
    double size = begin + (end - begin) * draws_.real(drawn_ + 1);
    if (draws_.real(drawn_ + 2) < powers_of_two) size = std::round(size);
    drawn_ += 3;
    return std::max(2, static_cast<int>(std::lround(std::exp2(size))));
  }

  double high_;
  double middle_;
  Draws draws_;
  std::uint64_t drawn_ = 0;
};

// Takes `count` nodes from position `first` on, round the end.
std::vector<std::int32_t> taken(std::vector<std::int32_t>& free, std::size_t first, int count) {
  const auto begin = free.begin() + static_cast<std::ptrdiff_t>(first);
  const auto behind = std::min<std::ptrdiff_t>(count, free.end() - begin);
  std::vector<std::int32_t> nodes(begin, begin + behind);
  free.erase(begin, begin + behind);
  const auto round = free.begin() + (count - behind);
  nodes.insert(nodes.end(), free.begin(), round);
  free.erase(free.begin(), round);
  return nodes;
}

}  // namespace

std::vector<std::vector<std::int32_t>> busy_jobs(const std::vector<std::int32_t>& free,
                                                 int num_nodes, int busy, std::uint64_t seed) {
  if (busy < 0 || busy == 1 || static_cast<std::size_t>(busy) > free.size())
    throw UserError("busy: nodes", busy, "0, or 2 to " + std::to_string(free.size()));
  const Draws starts(seed, Purpose::busy, 1);
  Sizes sizes(std::max(2, num_nodes), Draws(seed, Purpose::busy, 0));
  std::vector<std::int32_t> left = free;
  std::vector<std::vector<std::int32_t>> jobs;
  while (busy > 0) {
    int size = sizes.next(busy);
    if (busy - size == 1) ++size;  // a job of one node sends nothing
    const auto room = static_cast<std::uint32_t>(left.size());
    jobs.push_back(taken(left, starts.below(jobs.size(), room), size));
    busy -= size;
  }
  return jobs;
}

}  // namespace odonata
