// What a job's messages did: counts, latencies, phases.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "odonata/units/units.hpp"

namespace odonata {

/// Latencies in bins of relative width 1/16 to 1/32: exact below 32 ps, bounded for ever.
class LatencyHistogram {
 public:
  static constexpr std::size_t num_bins = 960;

  static constexpr std::size_t bin_of(Time latency) {
    const auto t = static_cast<std::uint64_t>(latency);
    if (t < 32) return static_cast<std::size_t>(t);
    const int shift = static_cast<int>(std::bit_width(t)) - 5;
    return static_cast<std::size_t>(16 * (shift + 1)) + static_cast<std::size_t>((t >> shift) - 16);
  }
  /// Lower edge of a bin [ps].
  static constexpr Time edge(std::size_t bin) {
    if (bin < 32) return static_cast<Time>(bin);
    return static_cast<Time>(16 + bin % 16) << (bin / 16 - 1);
  }

  void add(Time latency) { ++counts_[bin_of(latency)]; }
  [[nodiscard]] const std::array<std::int64_t, num_bins>& counts() const { return counts_; }

 private:
  std::array<std::int64_t, num_bins> counts_{};
};

/// One message of the application, if messages are recorded one by one.
struct MessageRecord {
  std::int32_t from, to;  // ranks of the job
  Bytes bytes;            // [B]
  Time sent;              // [ps] handed to the NIC
  Time delivered;         // [ps]
  float routers;          // mean over its packets; 0 inside a node
};

struct PhaseMark {
  std::int32_t rank;
  std::int32_t phase;  // index into JobStatistics::phases
  Time begin;          // [ps]
};

/// Time span in which the delivered bytes are counted.
struct Window {
  Time begin = 0, end = never;  // [ps]
  Bytes bytes = 0;              // [B] delivered in it
};

struct JobStatistics {
  std::int64_t messages = 0;          // of the application, delivered
  std::int64_t control_messages = 0;  // requests to send and their answers
  Bytes bytes = 0;                    // [B] of the application
  std::int64_t packets = 0, routers = 0;
  Time latency_sum = 0, latency_max = 0;  // [ps]
  Time first_sent = never, last_delivered = 0;
  LatencyHistogram latencies;
  Window window;
  std::vector<MessageRecord> records;
  std::vector<std::string> phases;
  std::vector<PhaseMark> marks;
};

}  // namespace odonata
