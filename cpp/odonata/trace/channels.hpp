// Messages of a trace by communicator, sender, receiver and tag.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace odonata::trace {

/// Messages that match in the order in which they were sent. Ranks are counted in the communicator.
struct ChannelKey {
  std::uint64_t communicator = 0;  // identity
  std::int32_t from = 0, to = 0, tag = 0;

  bool operator==(const ChannelKey&) const = default;
};

struct ChannelHash {
  std::size_t operator()(const ChannelKey& key) const {
    std::uint64_t mixed = key.communicator;
    for (const std::int32_t part : {key.from, key.to, key.tag})
      mixed = (mixed ^ static_cast<std::uint32_t>(part)) * 0x9E3779B97F4A7C15U + (mixed >> 29U);
    return mixed ^ (mixed >> 32U);
  }
};

struct Channel {
  ChannelKey key;
  std::int64_t total = 0;   // messages that the trace sends
  std::int64_t wanted = 0;  // receives that name it
  std::int64_t sent = 0;    // so far
  std::int64_t posted = 0;  // receives so far
  std::int64_t written = 0;  // sends that the new trace has passed
  std::int64_t last_receive = -1;  // number at its rank of the last receive that was posted
  std::unordered_set<std::int64_t> holes;  // messages whose receive was given up
  std::unordered_map<std::int64_t, std::int32_t> tags;  // of messages that got one of their own
};

/// All channels of a trace.
class Channels {
 public:
  using Number = std::size_t;

  /// The channel, which is made if it is new.
  Number number_of(const ChannelKey& key) {
    const auto [at, made] = numbers_.try_emplace(key, all_.size());
    if (made) {
      all_.emplace_back().key = key;
      to_[{key.communicator, -1, key.to, -1}].push_back(at->second);
    }
    return at->second;
  }
  Channel& operator[](Number number) { return all_[number]; }
  /// Those to a rank of a communicator.
  [[nodiscard]] std::vector<Number>& to(std::uint64_t communicator, std::int32_t rank) {
    return to_[{communicator, -1, rank, -1}];
  }
  /// Whether a rank of a communicator receives from any source or of any tag.
  [[nodiscard]] bool& from_anything(std::uint64_t communicator, std::int32_t rank) {
    return from_anything_[{communicator, -1, rank, -1}];
  }

 private:
  std::vector<Channel> all_;
  std::unordered_map<ChannelKey, Number, ChannelHash> numbers_;
  std::unordered_map<ChannelKey, std::vector<Number>, ChannelHash> to_;
  std::unordered_map<ChannelKey, bool, ChannelHash> from_anything_;
};

}  // namespace odonata::trace
