#include "odonata/machine/families/graph/lengths.hpp"

#include <memory>

namespace odonata {

namespace {

constexpr std::uint8_t unknown = 254, longest = 253;

// The routes to one address.
class Column {
 public:
  Column(const Routes& routes, const Machine& machine, std::vector<std::uint8_t>& lengths,
         std::int32_t column)
      : routes_(routes), machine_(machine), lengths_(lengths), column_(column) {}

  // Follows the route of a router up to a known one, and fills in the routers on the way.
  void follow(std::int32_t router) {
    path_.clear();
    std::uint8_t length = no_route;
    while (true) {
      std::uint8_t& known = at(router);
      if (known != unknown) {
        length = known;
        break;
      }
      path_.push_back(router);
      known = no_route;  // if the route comes back
      const std::uint16_t way = routes_.at(router, column_);
      if (way == Routes::none) break;
      if (way == Routes::delivers) {
        known = length = 0;
        path_.pop_back();
        break;
      }
      router = machine_.links[static_cast<std::size_t>(machine_.first_link[router]) + way].to;
    }
    for (auto r = path_.rbegin(); r != path_.rend(); ++r) {
      length = length >= longest ? no_route : static_cast<std::uint8_t>(length + 1);
      at(*r) = length;
    }
  }

 private:
  std::uint8_t& at(std::int32_t router) { return lengths_[routes_.index(router, column_)]; }

  const Routes& routes_;
  const Machine& machine_;
  std::vector<std::uint8_t>& lengths_;
  std::int32_t column_;
  std::vector<std::int32_t> path_;
};

}  // namespace

std::vector<std::uint8_t> lengths_of(const Routes& routes, const Machine& machine) {
  std::vector<std::uint8_t> lengths(routes.out.size(), unknown);
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(routes.columns()); ++c) {
    Column column(routes, machine, lengths, c);
    for (std::int32_t r = 0; r < routes.routers; ++r) column.follow(r);
  }
  return lengths;
}

std::shared_ptr<const Routes> without_endless(std::shared_ptr<const Routes> routes,
                                              const Machine& machine) {
  const std::vector<std::uint8_t> lengths = lengths_of(*routes, machine);
  std::shared_ptr<Routes> changed;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] != no_route || routes->out[i] == Routes::none) continue;
    if (changed == nullptr) changed = std::make_shared<Routes>(*routes);
    changed->out[i] = Routes::none;
  }
  return changed == nullptr ? routes : changed;
}

}  // namespace odonata
