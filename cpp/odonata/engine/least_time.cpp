#include "odonata/engine/least_time.hpp"

#include <algorithm>

#include "odonata/event/queue.hpp"

namespace odonata {

Time time_of_packets(Rate rate, Bytes bytes, Bytes packet_bytes, Bytes header_bytes) {
  const Bytes whole = bytes / packet_bytes, rest = bytes % packet_bytes;
  Wide time =
      static_cast<Wide>(whole) * static_cast<Wide>(rate.time_of(packet_bytes + header_bytes));
  if (rest > 0 || whole == 0) time += static_cast<Wide>(rate.time_of(rest + header_bytes));
  return static_cast<Time>(std::min(time, static_cast<Wide>(latest) + 1));
}

LeastTime::LeastTime(const Machine& machine, Bytes packet_bytes, Bytes header_bytes)
    : machine_(&machine), packet_bytes_(packet_bytes), header_bytes_(header_bytes), hop_(never) {
  std::vector<bool> between(machine.classes.size());
  for (std::size_t link = 2 * machine.port_router.size(); link < machine.links.size(); ++link)
    between[machine.links[link].link_class] = true;
  for (std::size_t i = 0; i < between.size(); ++i)
    if (between[i]) hop_ = std::min(hop_, machine.classes[i].latency + machine.router_delay);
}

Time LeastTime::to_leave(std::int32_t from_port, Bytes bytes) const {
  const Rate rate = machine_->class_of(machine_->injection(from_port)).bandwidth;
  return time_of_packets(rate, bytes, packet_bytes_, header_bytes_);
}

Time LeastTime::across(std::int32_t from_port, std::int32_t to_port, Bytes bytes) const {
  const Machine& m = *machine_;
  if (m.node_of(from_port) == m.node_of(to_port))
    return m.node_latency + m.node_bandwidth.time_of(bytes);
  const Time ends =
      m.class_of(m.injection(from_port)).latency + m.class_of(m.ejection(to_port)).latency;
  const bool near = m.port_router[from_port] == m.port_router[to_port];
  return to_leave(from_port, bytes) + ends + m.router_delay + (near ? 0 : hop_);
}

}  // namespace odonata
