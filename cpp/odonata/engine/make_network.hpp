// The network of an engine, with an observer.
#pragma once

#include <memory>

#include "odonata/engine/analytic.hpp"
#include "odonata/engine/packet.hpp"

namespace odonata {

/// A network of the engine that the options name, with one observer for packets and one for whole
/// messages. Throws UserError if there is no such engine.
template <class OfPackets, class OfMessages>
[[nodiscard]] std::unique_ptr<Network>
make_network(const Machine& machine, const EngineOptions& options, Clock& clock, Receiver& receiver,
             OfPackets& of_packets, OfMessages& of_messages) {
  check_options(options);
  if (options.engine == "analytic")
    return std::make_unique<AnalyticNetwork<OfMessages>>(machine, options, clock, receiver,
                                                         of_messages);
  return std::make_unique<PacketNetwork<OfPackets>>(machine, options, clock, receiver, of_packets);
}

}  // namespace odonata
