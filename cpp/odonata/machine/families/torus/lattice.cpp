#include "odonata/machine/families/torus/lattice.hpp"

#include <algorithm>

#include "odonata/machine/families/torus/routing.hpp"

namespace odonata {

Lattice::Lattice(std::vector<Dimension> dimensions) : dimensions_(std::move(dimensions)) {
  for (const Dimension& along : dimensions_) {
    strides_.push_back(routers_);
    routers_ *= along.size;
  }
  const std::size_t values = static_cast<std::size_t>(routers_) * dimensions_.size();
  coordinates_.reserve(values);
  links_.reserve(2 * values);
  for (std::int32_t r = 0; r < routers_; ++r)
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
      coordinates_.push_back(static_cast<std::uint16_t>(r / strides_[d] % dimensions_[d].size));
  for (std::int32_t r = 0; r < routers_; ++r) {
    std::int32_t next = 0;
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
      for (const Heading heading : {Heading::up, Heading::down}) {
        links_.push_back(next);
        if (has(r, d, heading)) next += dimensions_[d].cables;
      }
  }
}

std::int32_t Lattice::neighbour(std::int32_t router, std::size_t d, Heading heading) const {
  const std::int32_t size = dimensions_[d].size, here = coordinate(router, d);
  const std::int32_t to = (here + (heading == Heading::up ? 1 : size - 1)) % size;
  return router + (to - here) * strides_[d];
}

std::int32_t Lattice::distance(std::size_t d, std::int32_t from, std::int32_t to) const {
  const std::int32_t apart = std::abs(from - to);
  return dimensions_[d].wraps ? std::min(apart, dimensions_[d].size - apart) : apart;
}

Heading Lattice::shorter(std::size_t d, std::int32_t from, std::int32_t to) const {
  const std::int32_t up = steps_up(d, from, to);
  if (!dimensions_[d].wraps) return to > from ? Heading::up : Heading::down;
  if (2 * up == dimensions_[d].size) return Heading::none;
  return 2 * up < dimensions_[d].size ? Heading::up : Heading::down;
}

std::unique_ptr<Routing> TorusTopology::routing(const Machine& machine,
                                                const RoutingOptions& options) const {
  return std::make_unique<TorusRouting>(machine, *this, options);
}

// Loads by counting: dimension after dimension, as TorusRouting goes.
void TorusTopology::add_loads(const Machine& machine, const std::string& /*policy*/,
                              TrafficMatrix traffic, std::vector<double>& load) const {
  const auto walk = [&](std::int32_t at, std::size_t d, std::int32_t to, Heading heading,
                        double rate) {
    const std::int32_t cables = lattice_.dimension(d).cables;
    for (; lattice_.coordinate(at, d) != to; at = lattice_.neighbour(at, d, heading)) {
      const std::int32_t first = machine.first_link[at] + lattice_.first_link(at, d, heading);
      for (std::int32_t cable = 0; cable < cables; ++cable) load[first + cable] += rate / cables;
    }
    return at;
  };
  const auto cross = [&](std::int32_t at, std::size_t d, std::int32_t to, double rate) {
    const Heading heading = lattice_.shorter(d, lattice_.coordinate(at, d), to);
    if (heading != Heading::none) return walk(at, d, to, heading, rate);
    walk(at, d, to, Heading::down, rate / 2);
    return walk(at, d, to, Heading::up, rate / 2);
  };
  for (std::int32_t a = 0; a < machine.num_routers(); ++a)
    for (std::int32_t b = 0; b < machine.num_routers(); ++b) {
      const double rate = traffic.row(a)[b];
      std::int32_t at = a;
      for (std::size_t d = 0; d < lattice_.dimensions() && rate > 0; ++d)
        at = cross(at, d, lattice_.coordinate(b, d), rate);
    }
}

}  // namespace odonata
