// Networks with an event log.
#include "odonata/engine/analytic_impl.hpp"
#include "odonata/engine/packet_impl.hpp"

namespace odonata {

template class PacketNetwork<Logging>;
template class AnalyticNetwork<Logging>;

}  // namespace odonata
