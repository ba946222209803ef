#include "odonata/machine/families/tables/hops.hpp"

#include <algorithm>

#include "odonata/units/errors.hpp"

namespace odonata {

Hops::Hops(const Machine& machine) : num_routers_(machine.num_routers()) {
  if (machine.num_routers() > most_routers)
    throw UserError("routers: too many for tables of routes", num_routers_,
                    "up to " + std::to_string(most_routers));
  table_.assign(num_routers_ * num_routers_, unreached);
  for (std::int32_t r = 0; r < machine.num_routers(); ++r) fill_from(machine, r);
}

// Distances from `source` to all routers, breadth first.
void Hops::fill_from(const Machine& machine, std::int32_t source) {
  std::uint8_t* row = &table_[static_cast<std::size_t>(source) * num_routers_];
  std::vector<std::int32_t> reached{source};
  row[source] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto r = static_cast<std::size_t>(reached[i]);
    for (std::int32_t l = machine.first_link[r]; l < machine.first_link[r + 1]; ++l) {
      const std::int32_t to = machine.links[l].to;
      if (row[to] != unreached) continue;
      if (row[r] + 1 == unreached)
        throw UserError("graph: links of a route", int{unreached}, "up to 254");
      row[to] = static_cast<std::uint8_t>(row[r] + 1);
      reached.push_back(to);
    }
  }
  diameter_ = std::max(diameter_, static_cast<int>(row[reached.back()]));
}

Distances Hops::distances(const std::vector<std::int64_t>& nodes) const {
  Distances found;
  const auto routers = static_cast<std::int32_t>(nodes.size());
  for (std::int32_t a = 0; a < routers; ++a)
    for (std::int32_t b = 0; b < routers; ++b)
      if (a != b && reach(a, b)) found.add(between(a, b), nodes[a] * nodes[b]);
  return found;
}

void Hops::check_connected() const {
  for (std::size_t r = 0; r < num_routers_; ++r) {
    const auto row = table_.begin() + static_cast<std::ptrdiff_t>(r * num_routers_);
    const auto lost = std::count(row, row + static_cast<std::ptrdiff_t>(num_routers_), unreached);
    if (lost > 0)
      throw UserError("graph: routers within reach of router " + std::to_string(r),
                      static_cast<std::int64_t>(num_routers_) - lost,
                      "all " + std::to_string(num_routers_));
  }
}

}  // namespace odonata
