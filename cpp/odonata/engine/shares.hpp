// A port whose messages to different destinations share its time evenly, as if turns took no time.
//
// With n messages under way each has had 1/n of the time that has passed. The port counts the time
// that each has had since the port began (a message that joins later counts from there), so that a
// message has left when this count has grown by the message's own time:
//
//     had += (now - until) / n             whole [ps]; the rest stays before `until`
//     leaves at  until + (had when it joined + own - had) n
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "odonata/event/clock.hpp"

namespace odonata {

class Shares {
 public:
  /// Begins with a message that takes its own time [ps] alone.
  void begin(std::int32_t message, Time own, Time now);
  [[nodiscard]] bool empty() const { return flows_.empty(); }
  /// When the next message leaves [ps]; `never` without one.
  [[nodiscard]] Time next() const;
  /// Takes the message out that leaves now.
  std::int32_t end(Time now);

 private:
  struct Flow {
    Time leaves;          // [ps] as counted
    std::uint32_t begun;  // messages before it, which leave first if they leave together
    std::int32_t message;
    friend bool operator>(const Flow& a, const Flow& b) {
      return a.leaves != b.leaves ? a.leaves > b.leaves : a.begun > b.begun;
    }
  };

  void count(Time now);

  Time had_ = 0;  // [ps]
  Time until_ = 0;  // [ps] the time that is counted
  std::uint32_t begun_ = 0;  // messages
  std::priority_queue<Flow, std::vector<Flow>, std::greater<>> flows_;
};

}  // namespace odonata
