#include "odonata/mpi/parts.hpp"

#include <algorithm>

namespace odonata {

void Parts::begin(std::uint32_t message) {
  if (wholes_.size() <= message)
    wholes_.resize(std::max<std::size_t>(message + 1, 2 * wholes_.size()));
  wholes_[message] = {ports_.per_node, ports_.per_node, {}};
}

void Parts::add(std::uint32_t part, std::uint32_t message, int port) {
  if (parts_.size() <= part) parts_.resize(std::max<std::size_t>(part + 1, 2 * parts_.size()));
  parts_[part] = {message, port};
}

const Delivery* Parts::arrive(std::uint32_t part, const Delivery& delivery) {
  Whole& whole = wholes_[parts_[part].message];
  whole.delivery.packets += delivery.packets;
  whole.delivery.routers += delivery.routers;
  return --whole.to_arrive == 0 ? &whole.delivery : nullptr;
}

bool Parts::leave(std::uint32_t part) { return --wholes_[parts_[part].message].to_leave == 0; }

}  // namespace odonata
