#include "odonata/explain/critical_path.hpp"

#include <algorithm>
#include <string>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

// A rank's line, read from its end.
class Cursor {
 public:
  explicit Cursor(const RankTimeline& timeline)
      : entries_(&timeline.entries),
        left_(timeline.entries.size()),
        end_(timeline.end),
        scope_(timeline.scope) {}

  // Leaves out what begins at `time` or later.
  void go_back_to(Time time) {
    while (!at_begin() && (!timed() || end_ - entry().time() >= time)) drop();
  }
  [[nodiscard]] bool at_begin() const { return left_ == 0; }
  [[nodiscard]] const TimelineEntry& entry() const { return (*entries_)[left_ - 1]; }
  [[nodiscard]] Time begin() const { return end_ - entry().time(); }
  [[nodiscard]] Time end() const { return end_; }
  [[nodiscard]] std::uint32_t scope() const { return scope_; }
  // Crossing that ended this wait.
  [[nodiscard]] CrossingId cause() const { return CrossingId::of((*entries_)[left_ - 2].value()); }

 private:
  [[nodiscard]] bool timed() const { return entry().kind() <= TimelineEntry::idle; }
  void drop() {
    if (timed()) end_ -= entry().time();
    if (entry().kind() == TimelineEntry::scope)
      scope_ = static_cast<std::uint32_t>(entry().value());
    --left_;
  }

  const std::vector<TimelineEntry>* entries_;
  std::size_t left_;
  Time end_;  // [ps] of the entry
  std::uint32_t scope_;
};

class Walk {
 public:
  explicit Walk(const Explainer& explainer) : explainer_(explainer), log_(explainer.log()) {
    for (const RankTimeline& timeline : log_.timelines) cursors_.emplace_back(timeline);
  }

  CriticalPath back_from_the_end() {
    start();
    while (time_ > 0) step();
    std::reverse(path_.stretches.begin(), path_.stretches.end());
    return std::move(path_);
  }

 private:
  // The last rank's end, or the last delivery of traffic if that is later.
  void start() {
    for (std::size_t i = 0; i < log_.timelines.size(); ++i)
      if (explainer_.explains(static_cast<std::int32_t>(i)) && log_.timelines[i].finished > time_) {
        time_ = log_.timelines[i].finished;
        rank_ = static_cast<std::int32_t>(i);
      }
    const CrossingId last = explainer_.last_datagram();
    if (!last) return;
    const Time end = log_.end(last);
    if (end <= time_) return;
    time_ = end;
    rank_ = log_[last].to;
    follow(last);
  }

  void step() {
    Cursor& cursor = cursors_[rank_];
    cursor.go_back_to(time_);
    if (cursor.at_begin() || cursor.end() < time_) throw gap();
    scope_ = cursor.scope();
    const TimelineEntry entry = cursor.entry();
    if (entry.kind() != TimelineEntry::idle) return add_work(entry.kind(), cursor.begin());
    if (cursor.end() != time_) throw gap();
    follow(cursor.cause());
  }

  void add_work(std::uint8_t kind, Time begin) {
    std::size_t category = Categories::of(Category::pausing);
    if (kind < num_works) {
      category = explainer_.categories().of(static_cast<Work>(kind));
      path_.works[kind] += time_ - begin;
    }
    add(time_ - begin, rank_, -1, category, -1);
  }

  // Takes the path to where the crossing was handed over, and on if no processor did that.
  void follow(CrossingId id) {
    while (id) {
      const Crossings& of_rank = log_.crossings[id.rank];
      const Crossing& crossing = of_rank[id.number];
      if (of_rank.end(crossing) != time_) throw gap();
      const BusyPeriod* busy_period = of_rank.busy_period(id.number);
      const std::uint64_t begin = crossing.first;
      const std::uint64_t queued = end_of_queue(of_rank, crossing, busy_period);
      for (std::uint64_t i = begin + crossing.pieces; i > queued; --i)
        add_piece(of_rank, i - 1, crossing);
      if (busy_period != nullptr) {
        id = follow_busy_period(crossing, *busy_period);
        continue;
      }
      for (std::uint64_t i = queued; i > begin; --i) add_piece(of_rank, i - 1, crossing);
      if (crossing.handed != time_) throw gap();
      rank_ = crossing.launcher();
      id = of_rank.parent(id.number);
    }
  }

  // The first piece behind the queue of the NIC.
  [[nodiscard]] static std::uint64_t
  end_of_queue(const Crossings& of_rank, const Crossing& crossing, const BusyPeriod* busy_period) {
    std::uint64_t i = crossing.first;
    if (busy_period == nullptr) return i;
    const auto queues = [&](const Piece& piece) {
      return piece.part() == WayPart::queue && piece.link() == busy_period->link;
    };
    while (i < crossing.first + crossing.pieces && queues(of_rank.piece(i))) ++i;
    return i;
  }

  // Takes the path to where the NIC became busy; returns the crossing that made it so.
  CrossingId follow_busy_period(const Crossing& crossing, const BusyPeriod& busy_period) {
    if (busy_period.begin > time_) throw gap();
    path_.gaps += busy_period.gaps;
    add_way(time_ - busy_period.begin, crossing, Categories::of(Category::injection_queue),
            busy_period.link);
    rank_ = busy_period.launcher;
    return busy_period.parent;
  }

  void add_piece(const Crossings& of_rank, std::uint64_t at, const Crossing& crossing) {
    const Piece piece = of_rank.piece(at);
    const bool stalls = piece.part() == WayPart::credit;
    const bool waits = piece.part() == WayPart::queue || stalls;
    add_way(piece.time(), crossing, explainer_.categories().of(piece), waits ? piece.link() : -1,
            stalls ? full_link(of_rank, at, crossing) : -1);
  }

  // The link that keeps the buffer full behind the stalled link of a piece: the first one further
  // on that has credit, and for which the packet waits, or which is slower. A link that the packet
  // passes without a wait ends the search: other packets filled the buffer before it.
  [[nodiscard]] static std::int32_t full_link(const Crossings& of_rank, std::uint64_t at,
                                              const Crossing& crossing) {
    const std::int32_t first = of_rank.piece(at).link();
    std::int32_t stalled = first, queued = -1;
    while (++at < crossing.first + crossing.pieces) {
      const Piece piece = of_rank.piece(at);
      const std::int32_t link = piece.link();
      if (link == stalled) continue;
      if (piece.part() == WayPart::queue) {
        queued = link;
      } else if (piece.part() == WayPart::credit) {
        stalled = link;
      } else if (link == queued || piece.part() == WayPart::transmission) {
        return link;
      } else {
        break;
      }
    }
    return stalled == first ? -1 : stalled;
  }

  // A part of the way of a message.
  void add_way(Time time, const Crossing& crossing, std::size_t category, std::int32_t link,
               std::int32_t full = -1) {
    const bool of_handshake = crossing.leg() == Leg::request || crossing.leg() == Leg::answer;
    add(time, crossing.launcher(), crossing.leg() == Leg::answer ? crossing.from : crossing.to,
        of_handshake ? Categories::of(Category::rendezvous) : category, link, full);
  }

  void add(Time time, std::int32_t rank, std::int32_t to, std::size_t category, std::int32_t link,
           std::int32_t full = -1) {
    Stretch made{time_ - time, time_, rank,  to, static_cast<std::int32_t>(category),
                 link,         full,  scope_};
    time_ = made.begin;
    if (!path_.stretches.empty() && path_.stretches.back().alike(made))
      path_.stretches.back().begin = made.begin;
    else if (time > 0)
      path_.stretches.push_back(made);
  }

  [[nodiscard]] InternalError gap() const {
    return InternalError("explain: the critical path has a gap before " + std::to_string(time_) +
                         " ps on rank " + std::to_string(rank_));
  }

  const Explainer& explainer_;
  const CauseLog& log_;
  std::vector<Cursor> cursors_;  // by rank
  CriticalPath path_;
  Time time_ = 0;
  std::int32_t rank_ = 0;
  std::uint32_t scope_ = 0;
};

}  // namespace

CriticalPath find_critical_path(const Explainer& explainer) {
  return Walk(explainer).back_from_the_end();
}

}  // namespace odonata
