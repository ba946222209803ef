// Ways of the packets in a network of packets, link by link.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "odonata/engine/observer.hpp"
#include "odonata/engine/packet.hpp"
#include "odonata/explain/partial_ways.hpp"
#include "odonata/explain/way_source.hpp"

namespace odonata {

class PacketWays final : public Logging, public WaySource {
 public:
  using Logging::Logging;

  void submitted(const Submission& submission);
  void started(std::uint32_t packet, std::uint32_t message, const LinkStart& start);
  void queued(std::uint32_t packet, Time now, Time stalled) {
    ways_[packet].joined = {now, stalled};
  }
  void forwarded(std::uint32_t packet, const LinkStart& start, Time tail, bool queued);
  void delivered(std::uint32_t packet) { delivered_ = packet; }
  void halted(std::int32_t port) { nics_[port].halted = true; }
  void kept_gap(std::int32_t port, Time gap) { nics_[port].gaps += gap; }
  void held(std::uint32_t message, Time since, Time stalled) {
    at_nics_[message].held_since = {since, stalled};
  }
  void released(std::uint32_t message, Time now, Time stalled);
  void prefetch(std::uint32_t packet) const { ways_.prefetch(packet); }

  [[nodiscard]] std::span<const Piece> tell(std::uint32_t message, Reached reached) override;
  [[nodiscard]] std::optional<Time> gaps_before(std::uint32_t message) const override;

 private:
  struct Nic {  // since it was idle
    Time gaps = 0;  // [ps] between messages
    bool halted = false;  // for credit, for the window or for a gate
  };
  struct AtNic {  // a message at its NIC
    std::int32_t port = 0;
    Time since = 0;  // [ps]
    Time stalled = 0;  // [ps] of the injection link, when it was handed over
    Time own = 0;  // [ps] its own packets so far
    Time credit = 0;  // [ps] without credit so far
    Time held = 0;  // [ps] at the gate of its destination so far
    Time end = 0;  // [ps] of its last packet so far
    Time first = 0;  // [ps] the start of its first packet,
    Nic before;  // and the NIC until then
    Joined held_since{};  // the begin of its last wait at a gate
    // A window or a gap between messages counts with the queue.
    [[nodiscard]] Time queue() const { return end - since - own - credit - held; }
  };

  PartialWays ways_;
  std::uint32_t delivered_ = 0;  // the packet that was delivered last
  std::vector<AtNic> at_nics_;  // by message slot
  std::vector<Nic> nics_;  // by port
  Way nic_way_;  // that is told
};

extern template class PacketNetwork<PacketWays>;

}  // namespace odonata
