#include "odonata/decide/search.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "odonata/random/draws.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

constexpr std::size_t most_partners = 32;  // of a rank, the heaviest
constexpr std::uint32_t drawn = 8;         // ranks anywhere
constexpr double least_gain = 1e-12;       // part of the cost, below which a gain is rounding
constexpr double least_of_round = 1e-3;    // part of the cost that a round must gain for another

class LocalSearch {
 public:
  LocalSearch(Objective& objective, const CommunicationMatrix& matrix, const SlotNodes& nodes,
              const SearchOptions& options)
      : objective_(objective),
        nodes_(nodes),
        options_(options),
        rank_at_(matrix.ranks()),
        heaviest_(matrix.ranks()),
        listed_(matrix.ranks()),
        least_(least_gain * objective.scale()) {
    for (std::int32_t rank = 0; rank < matrix.ranks(); ++rank) {
      rank_at_[objective.slots()[rank]] = rank;
      const auto all = matrix.partners(rank);
      heaviest_[rank].assign(all.begin(), all.end());
      std::ranges::stable_sort(heaviest_[rank], std::ranges::greater{}, &Partner::bytes);
      if (heaviest_[rank].size() > most_partners) heaviest_[rank].resize(most_partners);
    }
  }

  // One round over all ranks; returns the number of swaps.
  std::int64_t round(int number) {
    std::int64_t swaps = 0;
    for (const std::int32_t rank : objective_.begin_round()) {
      best_ = -1;
      gain_ = least_;
      find_others(rank, number);
      objective_.shorten(rank, others_);
      for (const std::int32_t other : others_) attempt(rank, other);
      if (best_ < 0) continue;
      exchange(rank, best_);
      ++swaps;
    }
    return swaps;
  }

 private:
  void find_others(std::int32_t rank, int number) {
    others_.clear();
    listed_[rank] = ++turn_;
    list_near_partners(rank);
    list_drawn(rank, number);
  }

  void list_near_partners(std::int32_t rank) {
    for (const Partner& partner : heaviest_[rank]) {
      const std::int32_t node = nodes_.node(objective_.slots()[partner.rank]);
      for (const std::int32_t near : nodes_.near(node))
        for (const std::int32_t slot : nodes_.slots_of(near)) list(rank_at_[slot]);
    }
  }

  void list_drawn(std::int32_t rank, int number) {
    const Draws draws(options_.seed, Purpose::search, static_cast<std::uint64_t>(rank));
    for (std::uint32_t i = 0; i < drawn; ++i) {
      const std::uint64_t at = static_cast<std::uint64_t>(number) * drawn + i;
      list(static_cast<std::int32_t>(draws.below(at, static_cast<std::uint32_t>(rank_at_.size()))));
    }
  }

  void list(std::int32_t other) {
    if (listed_[other] == turn_) return;
    listed_[other] = turn_;
    others_.push_back(other);
  }

  void attempt(std::int32_t rank, std::int32_t other) {
    const double gain = objective_.gain(rank, other, gain_);
    if (gain > gain_) gain_ = gain, best_ = other;
  }

  void exchange(std::int32_t a, std::int32_t b) {
    objective_.swap(a, b);
    rank_at_[objective_.slots()[a]] = a;
    rank_at_[objective_.slots()[b]] = b;
  }

  Objective& objective_;
  const SlotNodes& nodes_;
  SearchOptions options_;
  std::vector<std::int32_t> rank_at_;           // [slots]
  std::vector<std::vector<Partner>> heaviest_;  // [ranks]
  std::vector<std::int64_t> listed_;            // [ranks] the last turn in which it was listed
  std::vector<std::int32_t> others_;            // ranks to try a swap with
  double least_;                                // smallest gain that counts
  std::int64_t turn_ = 0;
  std::int32_t best_ = -1;
  double gain_ = 0;
};

}  // namespace

std::int64_t improve(Objective& objective, const CommunicationMatrix& matrix,
                     const SlotNodes& nodes, const SearchOptions& options) {
  const RankSlots start = objective.slots();
  const double cost = objective.cost();
  LocalSearch search(objective, matrix, nodes, options);
  std::int64_t swaps = 0;
  double last = cost;
  for (int number = 0; number < options.rounds; ++number) {
    const std::int64_t now = search.round(number);
    swaps += now;
    const double left = objective.cost();
    if (now == 0 || left > last * (1 - least_of_round)) break;
    last = left;
  }
  if (objective.cost() > cost) {
    objective.reset(start);
    return 0;
  }
  return swaps;
}

// All orders by Heap's algorithm (Heap 1963), each a swap away from the last.
void search_all(Objective& objective) {
  const auto ranks = static_cast<std::int32_t>(objective.slots().size());
  if (ranks > most_exhaustive)
    throw UserError("ranks: too many to try every order", ranks,
                    "up to " + std::to_string(most_exhaustive));
  RankSlots best = objective.slots();
  double least = objective.cost();
  std::vector<std::int32_t> count(ranks);
  for (std::int32_t i = 1; i < ranks;) {
    if (count[i] >= i) {
      count[i++] = 0;
      continue;
    }
    objective.swap(i % 2 == 0 ? 0 : count[i], i);
    ++count[i];
    i = 1;
    const double cost = objective.cost();
    if (cost < least * (1 - least_gain)) least = cost, best = objective.slots();
  }
  objective.reset(best);
}

}  // namespace odonata
