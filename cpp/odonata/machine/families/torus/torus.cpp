#include "odonata/machine/families/torus/torus.hpp"

#include <numeric>
#include <utility>

#include "odonata/machine/families/dimensions.hpp"
#include "odonata/machine/families/torus/lattice.hpp"
#include "odonata/machine/families/torus/routing.hpp"

namespace odonata {

namespace {

constexpr std::int64_t most_hops = 255;

// Value of a parameter that has one for each dimension, or is left out.
std::int32_t along(const std::vector<std::int32_t>& values, std::size_t d, std::int32_t otherwise) {
  return values.empty() ? otherwise : values[d];
}

Lattice lattice_of(const Torus& t) {
  std::vector<Lattice::Dimension> dimensions;
  for (std::size_t d = 0; d < t.sizes.size(); ++d)
    dimensions.push_back(
        {t.sizes[d], along(t.wrap, d, 1) != 0, along(t.links_per_direction, d, 1)});
  return Lattice(std::move(dimensions));
}

// The dimensions of the classes of links, injection and ejection left out.
std::vector<std::size_t> class_dimensions(const Torus& t) {
  std::vector<std::size_t> dimensions(t.sizes.size());
  std::iota(dimensions.begin(), dimensions.end(), std::size_t{0});
  for (std::size_t d = 0; d < t.sizes.size(); ++d)
    if (along(t.far_every, d, 0) > 0) dimensions.push_back(d);
  return dimensions;
}

std::vector<std::string> class_names(const Torus& t) {
  std::vector<std::string> names;
  for (const std::size_t d : class_dimensions(t))
    names.push_back(dimension_name(d) + (names.size() < t.sizes.size() ? "" : "-far"));
  return names;
}

void check(const Torus& t) {
  check_range("shape.sizes: number of dimensions", static_cast<std::int64_t>(t.sizes.size()), 1,
              most_dimensions);
  check_declared(declare_torus(), t);
  check_torus(t);
  check_class_names(t.along, class_names(t), std::to_string(t.sizes.size()) + " dimensions");
}

// Two routers that wrap: is the way round a second cable? The file says how many there are.
void check_pair(const Torus& t, std::size_t d) {
  if (t.sizes[d] > 2 || along(t.wrap, d, 1) == 0) return;
  throw UserError("shape.wrap: two routers along " + dimension_name(d) +
                      " and a wrap: the link round would be a second cable between the same two",
                  "1",
                  "0 for " + dimension_name(d) +
                      ", which is one cable, or as many as "
                      "links_per_direction says");
}

// The class of each link along a dimension, by its number.
class ClassOfLink {
 public:
  explicit ClassOfLink(const Torus& t) {
    auto far = static_cast<std::int32_t>(2 + t.sizes.size());
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
      const std::int32_t every = along(t.far_every, d, 0);
      far_.push_back({every, every > 0 ? far++ : 0});
    }
  }

  [[nodiscard]] std::int32_t operator()(std::size_t d, std::int32_t number) const {
    const auto [every, far] = far_[d];
    return every > 0 && number % every == 0 ? far : static_cast<std::int32_t>(2 + d);
  }

 private:
  std::vector<std::pair<std::int32_t, std::int32_t>> far_;
};

std::vector<Wire> wires_of(const Torus& t, const Lattice& lattice) {
  const ClassOfLink class_of(t);
  std::vector<Wire> wires;
  for (std::int32_t r = 0; r < lattice.num_routers(); ++r)
    for (std::size_t d = 0; d < lattice.dimensions(); ++d)
      for (const Heading heading : {Heading::up, Heading::down}) {
        if (!lattice.has(r, d, heading)) continue;
        const std::int32_t here = lattice.coordinate(r, d);
        const std::int32_t below = heading == Heading::up ? here + 1 : here;
        const std::int32_t number = below == 0 ? lattice.dimension(d).size : below;
        for (std::int32_t cable = 0; cable < lattice.dimension(d).cables; ++cable)
          wires.push_back({r, lattice.neighbour(r, d, heading), class_of(d, number)});
      }
  return wires;
}

}  // namespace

void check_torus(const Torus& t) {
  check_per_dimension("shape.wrap", t.wrap, t.sizes.size());
  check_per_dimension("shape.links_per_direction", t.links_per_direction, t.sizes.size());
  check_per_dimension("shape.far_every", t.far_every, t.sizes.size());
  std::int64_t ports = 2 * std::int64_t{t.nodes_per_router}, hops = 0;
  for (std::size_t d = 0; d < t.sizes.size(); ++d) {
    check_pair(t, d);
    ports += 2 * std::int64_t{along(t.links_per_direction, d, 1)};
    hops += along(t.wrap, d, 1) != 0 ? t.sizes[d] / 2 : t.sizes[d] - 1;
  }
  check_counts(t.sizes, t.nodes_per_router, ports);
  check_range("shape.sizes: links of the longest route", hops, 1, most_hops);
}

Parameter wrap_about() {
  return {.name = "wrap",
          .kind = Parameter::Kind::counts,
          .low = 0,
          .high = 1,
          .required = false,
          .meaning = "For each dimension, 1: a ring, of three routers or more; 0: a line; left"
                     " out: rings",
          .start = "[1, 1, 1]"};
}

const Declaration<Torus>& declare_torus() {
  using Kind = Parameter::Kind;
  static const Declaration<Torus> declared{
      .name = "torus",
      .summary = "A grid of any number of dimensions, in which neighbours have links",
      .keys =
          {
              {{.name = "sizes",
                .kind = Kind::counts,
                .low = 2,
                .high = 4'096,
                .meaning = "Routers along x, y, z, w, v, u, d7, ..., each with a table"
                           " [links.<dimension>]",
                .start = "[4, 4, 4]"},
               &Torus::sizes},
              {{.name = "nodes_per_router",
                .low = 1,
                .high = 4'096,
                .meaning = "Nodes of each router",
                .start = "2"},
               &Torus::nodes_per_router},
              {wrap_about(), &Torus::wrap},
              {{.name = "links_per_direction",
                .kind = Kind::counts,
                .low = 1,
                .high = 64,
                .required = false,
                .meaning =
                    "Links from a router to its next one, for each dimension; left out: one"},
               &Torus::links_per_direction},
              {{.name = "far_every",
                .kind = Kind::counts,
                .low = 0,
                .high = 4'096,
                .required = false,
                .meaning = "For each dimension, k: every k-th link along it is of a class"
                           " [links.<dimension>-far]; 0: none; left out: none anywhere"},
               &Torus::far_every},
          },
      .classes = {{injection_class, &Torus::injection}, {ejection_class, &Torus::ejection}},
      .own_names = {"x", "y", "z"},
      .own = &Torus::along,
      .policies = torus_policies(),
      .make = make_torus,
  };
  return declared;
}

Machine build_torus(const Torus& t, const std::string& family,
                    const std::vector<std::int32_t>& routers, std::vector<LinkClass> classes) {
  const Lattice lattice = lattice_of(t);
  std::vector<std::int32_t> node_router;
  for (const std::int32_t r : routers)
    node_router.insert(node_router.end(), static_cast<std::size_t>(t.nodes_per_router), r);
  Machine machine = begin_machine(t.basics, family);
  machine.levels = nested_levels(t.sizes);
  machine.topology = std::make_shared<TorusTopology>(t.sizes, lattice, class_dimensions(t));
  machine.classes = std::move(classes);
  connect(machine, std::move(node_router), lattice.num_routers(), wires_of(t, lattice), 0, 1);
  return machine;
}

Machine make_torus(const Torus& t) {
  check(t);
  std::vector<std::int32_t> routers(
      std::accumulate(t.sizes.begin(), t.sizes.end(), std::size_t{1}, std::multiplies<>()));
  std::iota(routers.begin(), routers.end(), 0);
  return build_torus(t, "torus", routers, declared_classes(declare_torus(), t));
}

}  // namespace odonata
