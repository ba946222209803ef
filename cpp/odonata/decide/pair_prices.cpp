#include "odonata/decide/pair_prices.hpp"

#include <utility>

namespace odonata {

void PairPrices::set(std::vector<double> of_links) {
  of_links_ = std::move(of_links);
  const auto nodes = static_cast<std::size_t>(nodes_.nodes());
  of_pairs_.assign(nodes * nodes, -1);
}

float PairPrices::added_up(std::int32_t from, std::int32_t to) {
  double price = 0;
  parts_.each(nodes_.machine_node(from), nodes_.machine_node(to),
              [&](std::int32_t link, double part) { price += part * of_links_[link]; });
  return static_cast<float>(price);
}

}  // namespace odonata
