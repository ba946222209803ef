// The topology of a machine: the interface of every family.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "odonata/machine/machine.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata {

/// Traffic between routers: rates [num_routers x num_routers], in units of a node's injection.
class TrafficMatrix {
 public:
  explicit TrafficMatrix(std::int32_t routers) : n_(routers), values_(n_ * n_) {}
  double* row(std::int32_t from) { return &values_[static_cast<std::size_t>(from) * n_]; }
  [[nodiscard]] const double* row(std::int32_t from) const {
    return &values_[static_cast<std::size_t>(from) * n_];
  }

 private:
  std::size_t n_;
  std::vector<double> values_;
};

/// The shape of one machine of a family. It is immutable, and all copies of the machine share it.
class Topology {
 public:
  virtual ~Topology() = default;

  /// Names of the coordinates of a router, in the order in which people write them: group, row and
  /// column; x, y and z. Empty if it has none.
  [[nodiscard]] virtual std::vector<std::string> axes() const { return {}; }
  /// Coordinates of a router, in the order of `axes`.
  [[nodiscard]] virtual std::vector<std::int32_t> position(std::int32_t /*router*/) const {
    return {};
  }

  /// Divisions of the routers into blocks that have names of their own on such machines, beside the
  /// levels and the rows and planes of the axes. A router may be in none of the blocks: -1.
  [[nodiscard]] virtual std::vector<Level> divisions() const { return {}; }

  /// The routing of a policy; throws UserError if the family has no such policy.
  [[nodiscard]] virtual std::unique_ptr<Routing> routing(const Machine& machine,
                                                         const RoutingOptions& options) const = 0;

  /// Adds to each router link the load that this traffic puts on it, in units of a node's
  /// injection, under a policy that the family declares as oblivious. load: [num_links]
  virtual void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                         std::vector<double>& load) const = 0;

  /// The partitions along which a bisection may cut; by default the machine's groups if there are
  /// two or more, else its routers.
  [[nodiscard]] virtual std::vector<Level> partitions(const Machine& machine) const;
};

}  // namespace odonata
