#include "odonata/machine/families/basics.hpp"

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : text;
}

}  // namespace

void check_range(const std::string& what, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (low <= value && value <= high) return;
  throw UserError(what + ": out of range", value,
                  std::to_string(low) + " to " + std::to_string(high));
}

void check_basics(const Basics& basics) {
  check_range("node.cores", basics.cores_per_node, 1, most_cores_per_node);
  check_range("router.delay [ps]", basics.router_delay, 0, longest_delay);
  check_range("node.latency [ps]", basics.node_latency, 0, longest_delay);
  check_range("node.bandwidth [B/s]", basics.node_bandwidth.bytes_per_second, 1,
              most_bytes_per_second);
  check_range("nic.ports", basics.ports.per_node, 1, most_ports_per_node);
  check_range("nic.routers", basics.ports.routers, 1, basics.ports.per_node);
  const std::int64_t memory = basics.memory_bandwidth.bytes_per_second;
  if (memory != 0)
    check_range("node.memory_bandwidth [B/s]", memory, basics.node_bandwidth.bytes_per_second,
                most_bytes_per_second);
}

void check_link_class(const std::string& name, const LinkClass& link_class) {
  const std::string where = "links." + name;
  check_range(where + ".bandwidth [B/s]", link_class.bandwidth.bytes_per_second, 1,
              most_bytes_per_second);
  check_range(where + ".latency [ps]", link_class.latency, 0, longest_delay);
  const Bytes least = name.starts_with("ejection") ? 0 : 1;  // a node takes everything
  check_range(where + ".buffer [B]", link_class.buffer_bytes, least, most_buffer_bytes);
  check_range(where + ".credit_delay [ps]", link_class.credit_delay, 0, longest_delay);
}

void check_class_names(const std::vector<LinkClass>& classes, const std::vector<std::string>& names,
                       const std::string& of) {
  std::vector<std::string> given;
  for (const LinkClass& c : classes) given.push_back(c.name);
  if (given == names) return;
  throw UserError("links: classes of " + of + ", besides injection and ejection", joined(given),
                  joined(names) + (names.empty() ? "" : ", in this order"));
}

Machine begin_machine(const Basics& basics, const std::string& family) {
  Machine machine;
  machine.name = basics.name;
  machine.family = family;
  machine.cores_per_node = basics.cores_per_node;
  machine.router_delay = basics.router_delay;
  machine.node_latency = basics.node_latency;
  machine.node_bandwidth = basics.node_bandwidth;
  machine.memory_bandwidth = basics.memory_bandwidth;
  machine.ports = basics.ports;
  return machine;
}

LinkClass named(const std::string& name, LinkClass link_class) {
  link_class.name = name;
  return link_class;
}

}  // namespace odonata
