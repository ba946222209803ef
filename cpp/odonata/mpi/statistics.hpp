// Statistics of a job's messages: counts, latencies, phases.
#pragma once

#include <algorithm>
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
  Time sent;              // [ps] handed to the NIC; of traffic: due
  Time delivered;         // [ps]
  float routers;          // mean over its packets; 0 inside a node
};

struct PhaseMark {
  std::int32_t rank;
  std::int32_t phase;  // index into JobStatistics::phases
  Time begin;          // [ps]
};

/// Bytes delivered over time, in at most `num_bins` bins of equal width, which doubles when time
/// runs out of them: any length of run, exact counts, bounded memory.
class DeliveryCurve {
 public:
  static constexpr std::size_t num_bins = 1024;

  void add(Time now, Bytes bytes) {
    auto bin = static_cast<std::size_t>(now >> shift_);
    while (bin >= num_bins) {
      halve();
      bin = static_cast<std::size_t>(now >> shift_);
    }
    bytes_[bin] += bytes;
  }
  [[nodiscard]] Time width() const { return Time{1} << shift_; }  // [ps]
  [[nodiscard]] const std::vector<Bytes>& bytes() const { return bytes_; }

 private:
  void halve() {
    for (std::size_t i = 0; i < num_bins / 2; ++i) bytes_[i] = bytes_[2 * i] + bytes_[2 * i + 1];
    std::fill(bytes_.begin() + num_bins / 2, bytes_.end(), 0);
    ++shift_;
  }

  int shift_ = 10;
  std::vector<Bytes> bytes_ = std::vector<Bytes>(num_bins);  // [B]
};

/// A time span, and the bytes delivered in it.
struct Window {
  Time begin = 0, end = 0;  // [ps]
  Bytes bytes = 0;          // [B]
};

struct JobStatistics {
  std::int64_t messages = 0;          // of the application, delivered
  std::int64_t control_messages = 0;  // requests to send and their answers
  Bytes bytes = 0;                    // [B] of the application
  std::int64_t packets = 0, routers = 0;
  TimeSum latency_sum = 0;  // [ps]
  Time latency_max = 0;     // [ps]
  Time first_sent = never, last_delivered = 0;
  LatencyHistogram latencies;
  DeliveryCurve curve;
  Time first_done = never;  // [ps] the first sender of traffic has nothing left to send
  std::vector<MessageRecord> records;
  std::vector<std::string> phases;
  std::vector<PhaseMark> marks;

  /// The steady part of traffic: the second half of the time in which every rank still has
  /// something to send. The network has filled by then, and no rank has stopped.
  [[nodiscard]] Window steady() const {
    const Time width = curve.width();
    const auto last = static_cast<std::size_t>(std::min(first_done, last_delivered) / width);
    if (last < 2) return {0, last_delivered, bytes};
    Window window{static_cast<Time>(last / 2) * width, static_cast<Time>(last) * width, 0};
    for (std::size_t bin = last / 2; bin < last; ++bin) window.bytes += curve.bytes()[bin];
    return window;
  }
};

}  // namespace odonata
