#include "odonata/engine/packet.hpp"

#include "odonata/engine/packet_impl.hpp"

namespace odonata {

template class PacketNetwork<NoObserver>;

}  // namespace odonata
