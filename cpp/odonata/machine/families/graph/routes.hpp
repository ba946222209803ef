// Routes of a graph as forwarding tables: at each router, the way out for each address of a port.
//
// A router's ways out and in are numbered: first its links to routers in the order of the machine
// (a link that comes in has the number of the link that leads back), then its nodes' ports in the
// order of their numbers.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "odonata/machine/machine.hpp"

namespace odonata {

inline constexpr std::size_t service_levels = 16;

/// The ports of the nodes on each router.
struct RouterPorts {
  explicit RouterPorts(const Machine& machine);

  [[nodiscard]] std::int32_t count(std::int32_t router) const {
    return first[static_cast<std::size_t>(router) + 1] - first[router];
  }

  std::vector<std::int32_t> first;  // [routers + 1]
  std::vector<std::int32_t> ports;  // [ports] by router
  std::vector<std::int32_t> at;     // [ports] position of each port on its router
};

/// Each port of a node has `paths` addresses in a row; an address is a column of the tables.
struct Routes {
  static constexpr std::uint16_t none = 0xffff;      // no route
  static constexpr std::uint16_t delivers = 0xfffe;  // the port is on this router

  using LaneMap = std::array<std::uint8_t, service_levels>;  // virtual lane of each service level

  std::int32_t routers = 0;
  std::int32_t ports = 0;
  std::int32_t paths = 1;
  bool by_source = false;  // a port sends to address (its number mod paths), else to the first
  int lanes = 1;  // virtual channels; larger lanes are taken modulo their number
  std::vector<std::uint16_t> out;  // [columns x routers] so that a packet reads one column
  std::vector<std::uint8_t> levels;  // [ports x ports] service level from, to; empty: all 0
  std::vector<LaneMap> maps = {LaneMap{}};
  std::vector<std::uint16_t> map_of;  // by router, way in, way out; empty: the first map
  std::vector<std::uint64_t> first_map;  // [routers + 1] in map_of
  std::vector<std::uint16_t> ways;  // [routers] beside map_of
  std::vector<std::uint16_t> way_in;  // [links between routers] at the far end, beside map_of

  [[nodiscard]] std::size_t columns() const { return static_cast<std::size_t>(ports) * paths; }
  [[nodiscard]] std::int32_t column(std::int32_t from, std::int32_t to) const {
    return to * paths + (by_source ? from % paths : 0);
  }
  [[nodiscard]] std::uint16_t at(std::int32_t router, std::int32_t column) const {
    return out[index(router, column)];
  }
  void set(std::int32_t router, std::int32_t column, std::int32_t way) {
    out[index(router, column)] = static_cast<std::uint16_t>(way);
  }
  /// Place of a router and an address in tables that are as `out`.
  [[nodiscard]] std::size_t index(std::int32_t router, std::int32_t column) const {
    return static_cast<std::size_t>(column) * static_cast<std::size_t>(routers) +
           static_cast<std::size_t>(router);
  }
  [[nodiscard]] int level(std::int32_t from, std::int32_t to) const {
    return levels.empty() ? 0 : levels[static_cast<std::size_t>(from) * ports + to];
  }
  [[nodiscard]] int lane(std::int32_t router, std::int32_t in, std::int32_t way, int level) const {
    return maps[map_of.empty() ? 0 : map_of[place(router, in, way)]][level] % lanes;
  }

  /// Tables without any route, for a machine.
  [[nodiscard]] static Routes empty_for(const Machine& machine);

 private:
  [[nodiscard]] std::size_t place(std::int32_t router, std::int32_t in, std::int32_t way) const {
    const auto r = static_cast<std::size_t>(router);
    return first_map[r] + static_cast<std::size_t>(in) * ways[r] + static_cast<std::size_t>(way);
  }
};

/// Decodes the content of a file of routes. Throws UserError unless it fits the machine.
[[nodiscard]] Routes decode_routes(std::string_view bytes, const Machine& machine);

}  // namespace odonata
