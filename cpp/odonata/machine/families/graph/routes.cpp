#include "odonata/machine/families/graph/routes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>

#include "odonata/machine/families/basics.hpp"
#include "odonata/machine/families/tables/hops.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

RouterPorts::RouterPorts(const Machine& machine)
    : first(static_cast<std::size_t>(machine.num_routers()) + 1),
      ports(machine.port_router.size()),
      at(machine.port_router.size()) {
  for (const std::int32_t router : machine.port_router)
    ++first[static_cast<std::size_t>(router) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::int32_t> next(first.begin(), first.end() - 1);
  for (std::int32_t p = 0; p < machine.num_ports(); ++p) {
    const std::int32_t router = machine.port_router[p];
    at[p] = next[router] - first[router];
    ports[next[router]++] = p;
  }
}

Routes Routes::empty_for(const Machine& machine) {
  if (machine.num_routers() > Hops::most_routers)
    throw UserError("routers: too many for tables of routes", machine.num_routers(),
                    "up to " + std::to_string(Hops::most_routers));
  Routes routes;
  routes.routers = machine.num_routers();
  routes.ports = machine.num_ports();
  routes.out.assign(static_cast<std::size_t>(routes.routers) * routes.columns(), none);
  for (std::int32_t p = 0; p < routes.ports; ++p) routes.set(machine.port_router[p], p, delivers);
  return routes;
}

namespace {

static_assert(std::endian::native == std::endian::little, "files of routes are little-endian");

constexpr std::string_view magic = "ODONATA ROUTES 1\n";
constexpr std::int64_t most_lanes = 16, most_maps = 65'535, most_paths = 128;

struct Head {
  std::uint32_t cables = 0;  // a checksum that whoever reads the machine file compares
  std::uint32_t routers = 0, ports = 0, paths = 0, lanes = 0, maps = 0;
  std::uint32_t has_levels = 0, has_map_of = 0;
};

// Takes the parts of a file in turn.
class Parts {
 public:
  explicit Parts(std::string_view bytes) : rest_(bytes) {}

  void expect(std::string_view beginning) {
    if (!rest_.starts_with(beginning)) throw UserError("shape.routes: not a file of routes");
    rest_.remove_prefix(beginning.size());
  }

  template <class T>
  void expect_room(std::size_t count) const {
    if (rest_.size() / sizeof(T) < count)
      throw UserError("shape.routes: the file is cut short, bytes that are left", rest_.size(),
                      std::to_string(count * sizeof(T)) + " or more");
  }

  template <class T>
  void take(T* into, std::size_t count) {
    expect_room<T>(count);
    if (count > 0) std::memcpy(into, rest_.data(), count * sizeof(T));
    rest_.remove_prefix(count * sizeof(T));
  }

  template <class T>
  void take(std::vector<T>& into, std::size_t count) {
    expect_room<T>(count);
    into.resize(count);
    take(into.data(), count);
  }

  void expect_end() const {
    if (!rest_.empty()) throw UserError("shape.routes: bytes behind the tables", rest_.size());
  }

 private:
  std::string_view rest_;
};

void check_head(const Head& head, const Machine& machine) {
  const auto same = [](const std::string& what, std::uint32_t found, int wanted) {
    if (found != static_cast<std::uint32_t>(wanted))
      throw UserError("shape.routes: the tables have another number of " + what, found,
                      std::to_string(wanted) + ", as the machine has");
  };
  same("routers", head.routers, machine.num_routers());
  same("ports", head.ports, machine.num_ports());
  check_range("shape.routes: addresses of a port", head.paths, 1, most_paths);
  check_range("shape.routes: lanes", head.lanes, 1, most_lanes);
  check_range("shape.routes: maps of lanes", head.maps, 1, most_maps);
}

// Throws UserError unless each entry is a link of its router, or none.
void check_entries(const Routes& routes, const Machine& machine) {
  for (std::int32_t r = 0; r < routes.routers; ++r) {
    const std::int32_t links =
        machine.first_link[static_cast<std::size_t>(r) + 1] - machine.first_link[r];
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(routes.columns()); ++c) {
      const std::uint16_t way = routes.at(r, c);
      const bool here = machine.port_router[c / routes.paths] == r;
      if (way == Routes::none || way < links || (way == Routes::delivers && here)) continue;
      throw UserError("shape.routes: router " + std::to_string(r) + " has no such way out", way,
                      "0 to " + std::to_string(links - 1));
    }
  }
}

// The tables of a file, which has one router after the other.
void take_out(Parts& parts, Routes& routes) {
  parts.expect_room<std::uint16_t>(static_cast<std::size_t>(routes.routers) * routes.columns());
  routes.out.resize(static_cast<std::size_t>(routes.routers) * routes.columns());
  std::vector<std::uint16_t> row;
  for (std::int32_t r = 0; r < routes.routers; ++r) {
    parts.take(row, routes.columns());
    for (std::size_t c = 0; c < row.size(); ++c)
      routes.set(r, static_cast<std::int32_t>(c), row[c]);
  }
}

void take_map_of(Parts& parts, Routes& routes, const Machine& machine) {
  const RouterPorts at(machine);
  routes.first_map.push_back(0);
  for (std::int32_t r = 0; r < routes.routers; ++r) {
    const std::int32_t links =
        machine.first_link[static_cast<std::size_t>(r) + 1] - machine.first_link[r];
    const auto ways = static_cast<std::size_t>(links) + static_cast<std::size_t>(at.count(r));
    if (ways >= Routes::delivers)
      throw UserError("shape.routes: ways out of a router", ways, "up to 65533");
    routes.ways.push_back(static_cast<std::uint16_t>(ways));
    routes.first_map.push_back(routes.first_map.back() + ways * ways);
  }
  const auto links = static_cast<std::size_t>(machine.num_links() - 2 * machine.num_ports());
  parts.take(routes.way_in, links);
  parts.take(routes.map_of, routes.first_map.back());
  for (std::size_t i = 0; i < links; ++i) {
    const std::int32_t to = machine.links[2 * static_cast<std::size_t>(machine.num_ports()) + i].to;
    check_range("shape.routes: way in", routes.way_in[i], 0, routes.ways[to] - 1);
  }
  for (const std::uint16_t map : routes.map_of)
    check_range("shape.routes: map of lanes", map, 0,
                static_cast<std::int64_t>(routes.maps.size()) - 1);
}

}  // namespace

Routes decode_routes(std::string_view bytes, const Machine& machine) {
  Parts parts(bytes);
  parts.expect(magic);
  Head head;
  parts.take(&head, 1);
  check_head(head, machine);
  Routes routes;
  routes.routers = machine.num_routers();
  routes.ports = machine.num_ports();
  routes.paths = static_cast<std::int32_t>(head.paths);
  routes.lanes = static_cast<int>(head.lanes);
  take_out(parts, routes);
  check_entries(routes, machine);
  parts.take(routes.maps, head.maps);
  if (head.has_levels != 0)
    parts.take(routes.levels, static_cast<std::size_t>(routes.ports) * routes.ports);
  for (const std::uint8_t level : routes.levels)
    check_range("shape.routes: service level", level, 0, service_levels - 1);
  if (head.has_map_of != 0) take_map_of(parts, routes, machine);
  parts.expect_end();
  return routes;
}

}  // namespace odonata
