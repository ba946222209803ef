#include "odonata/decide/hop_bytes.hpp"

#include <numeric>

namespace odonata {

void HopBytes::reset(const RankSlots& slots) { slots_ = slots; }

double HopBytes::total() const {
  double cost = 0;
  for (std::int32_t rank = 0; rank < matrix_.ranks(); ++rank)
    for (const Partner& to : matrix_.sent(rank))
      cost += to.bytes * nodes_.links(slots_[rank], slots_[to.rank]);
  return cost;
}

// The two ranks stay as far apart as they are.
double HopBytes::gain_of(std::int32_t mover, std::int32_t other) const {
  const std::int32_t here = slots_[mover], there = slots_[other];
  double gain = 0;
  for (const Partner& partner : matrix_.partners(mover)) {
    if (partner.rank == other) continue;
    const std::int32_t at = slots_[partner.rank];
    gain += partner.bytes * (nodes_.links(here, at) - nodes_.links(there, at));
  }
  return gain;
}

std::vector<std::int32_t> HopBytes::begin_round() {
  std::vector<std::int32_t> all(slots_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

double HopBytes::gain(std::int32_t a, std::int32_t b, double /*least*/) {
  if (nodes_.node(slots_[a]) == nodes_.node(slots_[b])) return 0;
  return gain_of(a, b) + gain_of(b, a);
}

}  // namespace odonata
