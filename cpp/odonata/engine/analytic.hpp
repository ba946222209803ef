// The analytic engine: no contention between messages but at the NICs of their two ends.
//
//     leaves      s = max(now, NIC of the sender is free, s of its last message + gap)
//     arrives     s + alpha(route) + bytes / rate, but not before the receiver's NIC has taken in,
//                 at its own rate, what came earlier
//
// alpha is the sum of the latencies of the links and of the delays of the routers; the rate is the
// slowest link's on the route, or the joint rate of all routes that the packets of the message take
// (alone.hpp). A message takes as long as with the packet engine on an idle machine. Where the
// destinations of a port take turns, they share its time (shares.hpp), and a message counts as sent
// in one piece that ends when its last byte leaves.
#pragma once

#include <algorithm>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

#include "odonata/engine/alone.hpp"
#include "odonata/engine/network.hpp"
#include "odonata/engine/observer.hpp"
#include "odonata/engine/shares.hpp"
#include "odonata/engine/turns.hpp"

namespace odonata {

/// Observed by who has the verbs of engine/observer.hpp.
template <class Observer>
class AnalyticNetwork final : public Network {
 public:
  AnalyticNetwork(const Machine& machine, const EngineOptions& options, Clock& clock,
                  Receiver& receiver, Observer& observer);

  void send(std::uint32_t message, const Transfer& transfer) override;
  void process(const Event& event) override;
  [[nodiscard]] std::uint32_t message_of(const Event& event) const override {
    return slot_of(event.key);
  }
  [[nodiscard]] bool idle(std::int32_t port) const override {
    return send_free_[port] <= clock_.now && (sharings_.empty() || sharings_[port].shares.empty());
  }
  [[nodiscard]] LeastTime least_time() const override {
    return {machine_, options_.packet_bytes, options_.header_bytes};
  }
  [[nodiscard]] NetworkTotals totals() const override { return totals_; }
  [[nodiscard]] std::vector<LinkStatistics> link_statistics() const override { return links_; }
  [[nodiscard]] std::vector<BufferStatistics> buffer_statistics() const override { return {}; }
  [[nodiscard]] std::vector<Bytes> waiting_by_class() const override {
    return std::vector<Bytes>(machine_.classes.size());
  }
  void check_conservation(Time end) const override;

 private:
  struct Flow {
    Transfer transfer;
    Time handed = 0;  // [ps]
    Time own = 0;  // [ps] at its NIC,
    Time held = 0;  // and more since links behind are slower
    Time head = 0;  // [ps] when its first byte is at the link to its node
    Time received = 0;  // [ps] when its node has its last byte, if it waits for no other message
    std::int32_t slowest = 0;  // link
    std::int64_t packets = 0, routers = 0;
    PacketId id{};
    std::uint32_t first = 0;  // packet of its port, which takes the route
  };
  // An ejection link. It takes the packets of all messages by age, so that a single packet passes
  // the packets of long messages that are still to come.
  struct Reception {
    Time free = 0;  // [ps] when it has taken all messages
    Time long_until = 0;  // [ps] when all long ones would be there if none waited for another
    [[nodiscard]] Time start_of_packet(Time now) const {
      return std::max(now, free - std::max<Time>(0, long_until - now));
    }
  };
  // A port whose destinations take turns.
  struct Sharing {
    Shares shares;
    std::queue<std::pair<Time, std::uint32_t>> later;  // [ps] messages that the gap keeps waiting
    Time wake_at = 0;  // [ps] the last wake that is scheduled
  };
  void leave(std::uint32_t message, Time start, const Alone* alone);
  void serve(std::int32_t port);
  void share(Sharing& sharing, std::uint32_t message);
  void reach_node(std::uint32_t message);
  void deliver(std::uint32_t message);
  void cross(std::uint32_t message, Time start, const Alone* alone);
  [[nodiscard]] const Alone* alone_of(const Flow& flow);
  [[nodiscard]] Time wire_time(int link, Bytes bytes) const;
  void use(std::int32_t link, Bytes bytes, Time start, const Flow& flow);
  [[nodiscard]] std::uint64_t entity_of(std::uint32_t message) const;

  const Machine& machine_;
  EngineOptions options_;
  Clock& clock_;
  Receiver& receiver_;
  Observer& observer_;
  std::unique_ptr<Routing> routing_;
  AloneRuns alone_;
  std::vector<Flow> flows_;  // by message slot
  std::vector<Time> send_free_;  // [ps] by port; with turns, when the next message may begin
  std::vector<Sharing> sharings_;  // by port, where destinations take turns
  Turns turns_;
  std::vector<Reception> receptions_;  // by port
  std::vector<LinkStatistics> links_;
  NetworkTotals totals_;
  std::vector<std::uint32_t> sent_;  // messages, by port,
  std::vector<std::uint32_t> packets_;  // and packets
  Identities identities_;
};

extern template class AnalyticNetwork<NoObserver>;
extern template class AnalyticNetwork<Logging>;

}  // namespace odonata
