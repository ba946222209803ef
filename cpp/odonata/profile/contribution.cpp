#include "odonata/profile/contribution.hpp"

#include <numeric>

namespace odonata::profile {

namespace {

using trace::Sizes;
using Words = std::span<const std::uint64_t>;

std::int64_t sum(Words words) {
  return static_cast<std::int64_t>(std::accumulate(words.begin(), words.end(), std::uint64_t{0}));
}

Contribution to_neighbors(Sizes sizes, std::int64_t bytes, Words words) {
  const std::uint64_t sources = words.empty() ? 0 : words[0];
  const std::uint64_t destinations = sources + 1 < words.size() ? words[sources + 1] : 0;
  if (sizes == Sizes::of_sources) return {bytes, static_cast<std::int64_t>(destinations) * bytes};
  if (destinations > words.size()) return {};
  const std::int64_t all = sum(words.last(destinations));
  return {all, all};
}

}  // namespace

Contribution contribution(const trace::CollectiveCall& call, Words words, std::uint32_t ranks,
                          std::uint32_t position) {
  const Sizes sizes = trace::row_of(call.operation).sizes;
  switch (sizes) {
    case Sizes::alike: return {call.bytes, call.bytes};
    case Sizes::of_ranks: return {call.bytes, sum(words)};
    case Sizes::of_ranks_at_root: {
      const bool root = call.root >= 0 && static_cast<std::uint32_t>(call.root) == position;
      if (!root || position >= words.size()) return {call.bytes, 0};
      return {call.bytes, sum(words) - static_cast<std::int64_t>(words[position])};
    }
    case Sizes::of_pairs: {
      const std::int64_t sent = sum(words.first(words.size() / 2));
      if (position >= ranks || ranks > words.size()) return {sent, 0};
      return {sent, sum(words.first(ranks)) - static_cast<std::int64_t>(words[position])};
    }
    default: return to_neighbors(sizes, call.bytes, words);
  }
}

}  // namespace odonata::profile
