#include "odonata/decide/nodes.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string>
#include <tuple>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

constexpr std::int32_t most_near = 8;    // nodes
constexpr std::int32_t window = 2'048;   // numbers to either side in which they are looked for

std::vector<std::int32_t> sorted_once(std::vector<std::int32_t> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::int32_t number_of(const std::vector<std::int32_t>& sorted, std::int32_t value) {
  return static_cast<std::int32_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}

}  // namespace

SlotNodes::SlotNodes(const Machine& machine, const std::vector<std::int32_t>& node_of)
    : routing_(make_routing(machine, {})) {
  for (const std::int32_t node : node_of)
    if (node < 0 || node >= machine.num_nodes())
      throw UserError("slots: no such node", node,
                      "0 to " + std::to_string(machine.num_nodes() - 1));
  nodes_ = sorted_once(node_of);
  std::vector<std::int32_t> routers;
  for (const std::int32_t node : nodes_) routers.push_back(machine.node_router[node]);
  routers_ = sorted_once(routers);
  slots_of_.resize(nodes_.size());
  for (const std::int32_t node : node_of) {
    const std::int32_t used = number_of(nodes_, node);
    slots_of_[used].push_back(slots());
    at_.push_back({used, number_of(routers_, machine.node_router[node])});
  }
  if (static_cast<std::int32_t>(routers_.size()) <= most_in_table) fill_table();
  find_near();
}

void SlotNodes::fill_table() {
  table_.reserve(routers_.size() * routers_.size());
  for (const std::int32_t a : routers_)
    for (const std::int32_t b : routers_)
      table_.push_back(static_cast<std::uint16_t>(routing_->distance(a, b)));
}

void SlotNodes::find_near() {
  using Near = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // links, steps, node
  std::vector<Near> others;
  for (std::int32_t node = 0; node < nodes(); ++node) {
    const std::int32_t first = std::max(0, node - window);
    const std::int32_t last = std::min(nodes(), node + window + 1);
    others.clear();
    for (std::int32_t other = first; other < last; ++other)
      others.emplace_back(links(slots_of_[node].front(), slots_of_[other].front()),
                          std::abs(other - node), other);
    const auto kept = std::min<std::ptrdiff_t>(most_near, std::ssize(others));
    std::ranges::partial_sort(others, others.begin() + kept);
    std::vector<std::int32_t>& near = near_.emplace_back();
    for (const Near& found : std::span(others).first(static_cast<std::size_t>(kept)))
      near.push_back(std::get<2>(found));
  }
}

}  // namespace odonata
