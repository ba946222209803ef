// Messages of several packets that are alone on the machine: packet by packet, over all routes and
// parallel links that these take, with buffers and credits.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "odonata/engine/packet.hpp"

namespace odonata {

/// A message that was alone. Times are those after its start at its NIC.
struct Alone {
  struct Used {
    std::int32_t link;
    Bytes bytes;  // [B]
  };

  Time left = 0;             // [ps] its last byte has left its node
  Time received = 0;         // [ps] the link to its node has taken its last byte
  std::int64_t routers = 0;  // that forwarded its packets, summed
  std::int32_t slowest = 0;  // the link behind its NIC that sent longest,
  bool slower = false;       // longer than the NIC had to
  std::vector<Used> used;    // links between routers
};

class AloneRuns {
 public:
  AloneRuns(const Machine& machine, const EngineOptions& options);
  AloneRuns(const AloneRuns&) = delete;
  AloneRuns& operator=(const AloneRuns&) = delete;
  ~AloneRuns();

  /// Does it take to follow packets, since several links share them, or buffers hold them up?
  [[nodiscard]] bool wanted(const Transfer& transfer) const;
  /// The message, until the next one is asked for; `first` is its first packet's number at its
  /// port, on which routes depend. A message that was followed once is known, and later ones of its
  /// ports and its size are like it.
  [[nodiscard]] const Alone& of(const Transfer& transfer, std::uint32_t first);

 private:
  // Packets of a message; a longer one continues as the second half of these. A port that has had
  // many followed has but few of each message.
  static constexpr Bytes most_followed = 1 << 14, many_followed = 1 << 15, few_followed = 1 << 8;
  static constexpr std::size_t most_known = 1 << 14;  // messages
  using Key = std::tuple<std::int32_t, std::int32_t, Bytes>;  // from and to port, size [B]
  struct Times;  // of the message that is followed

  void begin();
  [[nodiscard]] Alone follow(const Transfer& transfer, std::uint32_t first);
  void go_on(Alone& alone, const Transfer& transfer, Bytes followed, Time half) const;
  [[nodiscard]] Time start_of(std::uint32_t packet, std::int32_t port) const;
  void count_links(Alone& alone, const Transfer& transfer, std::uint32_t first) const;

  const Machine& machine_;
  EngineOptions options_;
  std::unique_ptr<Routing> routing_;
  bool fits_ = true;  // has each buffer room for a packet?
  bool ample_ = true;  // and for all that is sent until a credit is back?
  std::map<Key, Alone> known_;
  std::vector<Bytes> followed_;  // packets, by port that sends
  std::unique_ptr<Clock> clock_;
  std::unique_ptr<Times> times_;
  std::unique_ptr<EventLog> log_;
  std::unique_ptr<Logging> logging_;
  std::unique_ptr<PacketNetwork<Logging>> network_;  // made when it is wanted
};

}  // namespace odonata
