#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "odonata/decide/search.hpp"

namespace odonata {

namespace {

class Greedy {
 public:
  Greedy(const CommunicationMatrix& matrix, const SlotNodes& nodes)
      : matrix_(matrix), nodes_(nodes), slots_(matrix.ranks(), -1), bytes_(matrix.ranks()) {
    for (std::int32_t node = 0; node < nodes.nodes(); ++node)
      free_.emplace_back(nodes.slots_of(node).rbegin(), nodes.slots_of(node).rend());
  }

  RankSlots run() {
    for (std::int32_t first = 0; first < matrix_.ranks(); ++first) {
      if (slots_[first] >= 0) continue;
      next_.emplace(0.0, -first);
      while (!next_.empty()) {
        const auto [bytes, negative] = next_.top();
        next_.pop();
        if (slots_[-negative] < 0) put(-negative);
      }
    }
    return slots_;
  }

 private:
  void put(std::int32_t rank) {
    std::vector<std::int32_t>& free = free_[best_node(rank)];
    slots_[rank] = free.back();
    free.pop_back();
    for (const Partner& partner : matrix_.partners(rank)) {
      if (slots_[partner.rank] >= 0) continue;
      bytes_[partner.rank] += partner.bytes;
      next_.emplace(bytes_[partner.rank], -partner.rank);
    }
  }

  // Nodes near the partners' nodes; where all of them are full, any.
  [[nodiscard]] std::int32_t best_node(std::int32_t rank) const {
    std::int32_t best = -1;
    double least = 0;
    const auto attempt = [&](std::int32_t node) {
      if (free_[node].empty()) return;
      const double cost = hop_bytes(rank, free_[node].back());
      if (best < 0 || cost < least || (cost == least && node < best)) best = node, least = cost;
    };
    for (const Partner& partner : matrix_.partners(rank))
      if (slots_[partner.rank] >= 0)
        for (const std::int32_t near : nodes_.near(nodes_.node(slots_[partner.rank])))
          attempt(near);
    for (std::int32_t node = 0; node < nodes_.nodes() && best < 0; ++node) attempt(node);
    return best;
  }

  [[nodiscard]] double hop_bytes(std::int32_t rank, std::int32_t slot) const {
    double cost = 0;
    for (const Partner& partner : matrix_.partners(rank))
      if (slots_[partner.rank] >= 0)
        cost += partner.bytes * nodes_.links(slot, slots_[partner.rank]);
    return cost;
  }

  const CommunicationMatrix& matrix_;
  const SlotNodes& nodes_;
  RankSlots slots_;
  std::vector<double> bytes_;                    // [ranks] to ranks that have a slot
  std::vector<std::vector<std::int32_t>> free_;  // [nodes] slots, the first last
  std::priority_queue<std::pair<double, std::int32_t>> next_;  // by bytes; of equals, the first
};

}  // namespace

RankSlots place_greedily(const CommunicationMatrix& matrix, const SlotNodes& nodes) {
  return Greedy(matrix, nodes).run();
}

}  // namespace odonata
