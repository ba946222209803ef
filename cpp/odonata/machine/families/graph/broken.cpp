#include "odonata/machine/families/graph/broken.hpp"

#include <memory>
#include <string>
#include <utility>

#include "odonata/machine/families/basics.hpp"
#include "odonata/machine/families/graph/topology.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

// Places of routers as the machine had them, routes as of a graph.
class BrokenTopology final : public Topology {
 public:
  explicit BrokenTopology(std::shared_ptr<const Topology> whole)
      : whole_(std::move(whole)), graph_(nullptr, true) {}

  [[nodiscard]] std::vector<std::string> axes() const override { return whole_->axes(); }
  [[nodiscard]] std::vector<std::int32_t> position(std::int32_t router) const override {
    return whole_->position(router);
  }
  [[nodiscard]] std::vector<Level> divisions() const override { return whole_->divisions(); }
  [[nodiscard]] std::vector<Level> partitions(const Machine& machine) const override {
    return whole_->partitions(machine);
  }
  [[nodiscard]] std::unique_ptr<Routing> routing(const Machine& machine,
                                                 const RoutingOptions& options) const override {
    return graph_.routing(machine, options);
  }
  void add_loads(const Machine& machine, const std::string& policy, TrafficMatrix traffic,
                 std::vector<double>& load) const override {
    graph_.add_loads(machine, policy, std::move(traffic), load);
  }

 private:
  std::shared_ptr<const Topology> whole_;
  GraphTopology graph_;
};

constexpr std::int64_t most_link_classes = 256;  // the packet engine keeps a class in a byte

enum class End : std::uint8_t { injection, ejection, neither };

End end_of(const LinkClass& c) {
  return c.injects() ? End::injection : c.ejects() ? End::ejection : End::neither;
}

// Gives links their new classes.
void reclassify(Machine& machine, const Faults& faults) {
  machine.classes.insert(machine.classes.end(), faults.added.begin(), faults.added.end());
  check_range("faults: classes of links", static_cast<std::int64_t>(machine.classes.size()), 1,
              most_link_classes);
  for (const auto& [link, number] : faults.classes) {
    check_range("faults: link", link, 0, machine.num_links() - 1);
    check_range("faults: class", number, 0, static_cast<std::int64_t>(machine.classes.size()) - 1);
    if (end_of(machine.class_of(link)) != end_of(machine.classes[static_cast<std::size_t>(number)]))
      throw UserError("faults: not a class of such links", number);
    machine.links[static_cast<std::size_t>(link)].link_class = number;
  }
}

}  // namespace

Machine with_faults(const Machine& whole, const Faults& faults) {
  Machine machine = whole;
  reclassify(machine, faults);
  const int ports = machine.num_ports();
  std::vector<bool> lost(machine.links.size());
  for (const std::int32_t link : faults.lost) {
    check_range("faults: link between routers", link, 2 * ports, machine.num_links() - 1);
    lost[static_cast<std::size_t>(link)] = true;
  }
  std::vector<NodePort> kept_ports;
  for (int p = 0; p < ports; ++p)
    kept_ports.push_back({machine.port_router[p], machine.links[machine.injection(p)].link_class,
                          machine.links[machine.ejection(p)].link_class});
  std::vector<Wire> wires;
  for (int l = 2 * ports; l < machine.num_links(); ++l)
    if (const Link& link = machine.links[l]; !lost[l])
      wires.push_back({link.from, link.to, link.link_class});
  const std::vector<std::int32_t> node_router = machine.node_router;
  connect_ports(machine, kept_ports, machine.num_routers(), std::move(wires));
  machine.node_router = node_router;
  machine.family = "graph";
  machine.topology = std::make_shared<BrokenTopology>(whole.topology);
  return machine;
}

std::vector<std::int32_t> parts_of(const Machine& machine) {
  std::vector<std::int32_t> part(machine.num_routers(), -1), reached;
  for (std::int32_t first = 0; first < machine.num_routers(); ++first) {
    if (part[first] >= 0) continue;
    part[first] = first;
    reached.assign(1, first);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const auto r = static_cast<std::size_t>(reached[i]);
      for (std::int32_t l = machine.first_link[r]; l < machine.first_link[r + 1]; ++l) {
        const std::int32_t to = machine.links[l].to;
        if (part[to] >= 0) continue;
        part[to] = first;
        reached.push_back(to);
      }
    }
  }
  return part;
}

}  // namespace odonata
