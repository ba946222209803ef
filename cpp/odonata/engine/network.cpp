#include "odonata/engine/network.hpp"

#include "odonata/engine/analytic.hpp"
#include "odonata/engine/packet.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

std::unique_ptr<Network> make_network(const Machine& machine, const EngineOptions& options,
                                      Clock& clock, Receiver& receiver, EventLog& log) {
  if (options.packet_bytes < 1)
    throw UserError("packet size: " + std::to_string(options.packet_bytes) +
                    " bytes; at least 1 is needed");
  if (options.engine == "analytic")
    return std::make_unique<AnalyticNetwork>(machine, options, clock, receiver, log);
  if (options.engine == "packet")
    return std::make_unique<PacketNetwork>(machine, options, clock, receiver, log);
  throw UserError("engine: '" + options.engine + "' is unknown; one of packet, analytic");
}

}  // namespace odonata
