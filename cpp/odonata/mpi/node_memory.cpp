#include "odonata/mpi/node_memory.hpp"

#include <algorithm>

namespace odonata {

NodeMemory::NodeMemory(const Machine& machine)
    : machine_(machine), taken_(machine.node_router.size()) {}

Time NodeMemory::pass(const Message& message, Time now) {
  const Time copying = machine_.node_bandwidth.time_of(message.bytes);
  if (machine_.memory_bandwidth.bytes_per_second == 0) return now + copying + machine_.node_latency;
  const auto to = static_cast<std::size_t>(message.to);
  if (to >= copied_.size()) copied_.resize(2 * to + 1);
  const Time turn = std::max(now, taken_[message.node]);
  taken_[message.node] = turn + machine_.memory_bandwidth.time_of(message.bytes);
  copied_[to] = std::max(turn, copied_[to]) + copying;
  return copied_[to] + machine_.node_latency;
}

}  // namespace odonata
