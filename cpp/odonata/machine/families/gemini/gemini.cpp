#include "odonata/machine/families/gemini/gemini.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "odonata/machine/families/torus/routing.hpp"

namespace odonata {

namespace {

using Coordinates = std::array<std::int32_t, 3>;

constexpr Coordinates block_sizes{4, 2, 8};
constexpr int most_along = 255;  // along a dimension

// The numbers from `first` to below `last`, or the same backwards.
std::vector<std::int32_t> span(std::int32_t first, std::int32_t last, bool backwards) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(last - first));
  std::iota(numbers.begin(), numbers.end(), first);
  if (backwards) std::ranges::reverse(numbers);
  return numbers;
}

// To and fro along z and on along x, plane after plane, each second one the other way round.
class Zigzag {
 public:
  explicit Zigzag(const Coordinates& sizes) : sizes_(sizes) {}

  // `downwards`: from the plane with the highest y.
  void add_block(const Coordinates& first, bool downwards) {
    Coordinates last{};
    for (std::size_t i = 0; i < 3; ++i) last[i] = std::min(first[i] + block_sizes[i], sizes_[i]);
    bool back = false;
    for (const std::int32_t y : span(first[1], last[1], downwards)) {
      for (const std::int32_t x : span(first[0], last[0], back)) {
        const bool inwards = (x - first[0]) % 2 == 0;
        for (const std::int32_t z : span(first[2], last[2], inwards == back))
          routers_.push_back(x + sizes_[0] * (y + sizes_[1] * z));
      }
      back = !back;
    }
  }

  [[nodiscard]] std::vector<std::int32_t> routers() && { return std::move(routers_); }

 private:
  Coordinates sizes_;
  std::vector<std::int32_t> routers_;
};

// First coordinates of the blocks along a dimension.
std::vector<std::int32_t> blocks(std::int32_t size, std::int32_t block, bool backwards) {
  std::vector<std::int32_t> first = span(0, (size + block - 1) / block, backwards);
  for (std::int32_t& at : first) at *= block;
  return first;
}

Torus torus_of(const Gemini& g) {
  Torus t;
  t.basics = g.basics;
  t.sizes = g.sizes;
  t.nodes_per_router = 2;
  t.wrap = g.wrap;
  t.links_per_direction = g.links_per_direction;
  if (t.links_per_direction.empty()) t.links_per_direction = {2, 1, 2};
  // The class y-cable is always there: without such links each number is too small for one.
  t.far_every = {0, g.y_cable_every > 0 ? g.y_cable_every : most_along + 1, g.z_cable_every};
  t.injection = g.injection;
  t.ejection = g.ejection;
  return t;
}

void check_cables(const Gemini& g) {
  const std::string given = g.z_cable.empty() ? "none" : g.z_cable.front().name;
  const std::string needed = g.z_cable_every > 0 ? "z-cable" : "none";
  if (given == needed && g.z_cable.size() < 2) return;
  throw UserError("links: classes of a gemini besides injection, ejection, x, y, z and y-cable",
                  given, needed + (g.z_cable_every > 0 ? "" : " without shape.z_cable_every"));
}

void set_order(Gemini& g, const std::string& name) {
  g.order = name == "grid" ? Gemini::NodeOrder::grid : Gemini::NodeOrder::zigzag;
}

}  // namespace

std::vector<std::int32_t> zigzag(const std::vector<std::int32_t>& sizes) {
  Zigzag order({sizes[0], sizes[1], sizes[2]});
  bool down = false, back = false;
  for (const std::int32_t x : blocks(sizes[0], block_sizes[0], false)) {
    for (const std::int32_t z : blocks(sizes[2], block_sizes[2], back)) {
      for (const std::int32_t y : blocks(sizes[1], block_sizes[1], down))
        order.add_block({x, y, z}, down);
      down = !down;
    }
    back = !back;
  }
  return std::move(order).routers();
}

const Declaration<Gemini>& declare_gemini() {
  using Kind = Parameter::Kind;
  static const Declaration<Gemini> declared{
      .name = "gemini",
      .summary = "Cray XE6 and XK7: a torus of three dimensions, two nodes a router",
      .keys =
          {
              {{.name = "sizes",
                .kind = Kind::counts,
                .low = 2,
                .high = most_along,
                .meaning = "Routers along x, y and z",
                .start = "[4, 4, 8]"},
               &Gemini::sizes},
              {wrap_about(), &Gemini::wrap},
              {{.name = "links_per_direction",
                .kind = Kind::counts,
                .low = 1,
                .high = 64,
                .required = false,
                .meaning =
                    "Links from a router to its next one along x, y and z; left out: 2, 1, 2"},
               &Gemini::links_per_direction},
              {{.name = "y_cable_every",
                .low = 1,
                .high = most_along,
                .required = false,
                .meaning =
                    "k: every k-th link along y is a cable, of the class y-cable (2: a blade has"
                    " two routers); left out: none",
                .start = "2"},
               &Gemini::y_cable_every},
              {{.name = "z_cable_every",
                .low = 1,
                .high = most_along,
                .required = false,
                .meaning = "k: every k-th link along z is a cable, of the class [links.z-cable] (8:"
                           " a chassis has eight blades); left out: none",
                .start = "8"},
               &Gemini::z_cable_every},
              {{.name = "node_order",
                .kind = Kind::choice,
                .choices = {"zigzag", "grid"},
                .required = false,
                .meaning = "Order in which nodes are numbered: zigzag over blocks of 4 x 2 x 8"
                           " routers, or along x, then y, then z; left out: zigzag"},
               &set_order},
          },
      .classes = {{injection_class, &Gemini::injection},
                  {ejection_class, &Gemini::ejection},
                  {{"x", "Links along x, two a direction", "#0072B2"}, &Gemini::x},
                  {{"y", "Links along y, one a direction; inside a blade, if others are cables",
                    "#D55E00"},
                   &Gemini::y},
                  {{"z", "Links along z, two a direction; inside a chassis, if others are cables",
                    "#009E73"},
                   &Gemini::z},
                  {{"y-cable", "Links along y between blades", "#E69F00"}, &Gemini::y_cable}},
      .own_names = {"z-cable"},
      .own = &Gemini::z_cable,
      .policies = torus_policies(),
      .make = make_gemini,
  };
  return declared;
}

Machine make_gemini(const Gemini& g) {
  check_range("shape.sizes: number of dimensions", static_cast<std::int64_t>(g.sizes.size()), 3, 3);
  check_declared(declare_gemini(), g);
  check_cables(g);
  const Torus t = torus_of(g);
  check_torus(t);
  std::vector<std::int32_t> routers = zigzag(g.sizes);
  if (g.order == Gemini::NodeOrder::grid) std::ranges::sort(routers);
  return build_torus(t, "gemini", routers, declared_classes(declare_gemini(), g));
}

}  // namespace odonata
