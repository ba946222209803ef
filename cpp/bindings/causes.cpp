#include "causes.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "arrays.hpp"

using namespace odonata;

namespace {

// The step that an entry of work, a pause or a wait is recorded as.
Step step_of(const TimelineEntry& entry) {
  if (entry.kind() == TimelineEntry::idle) return Step::wait;
  if (entry.kind() == TimelineEntry::pause) return Step::pause;
  return odonata::step_of(static_cast<Work>(entry.kind()));
}

// The crossings of all ranks in the order of time, of equal times by rank; each has a row.
class CrossingRows {
 public:
  struct Row {
    Time end;  // [ps]
    CrossingId id;
  };

  explicit CrossingRows(const CauseLog& log) {
    all_.reserve(log.num_crossings());
    for (std::size_t rank = 0; rank < log.crossings.size(); ++rank) {
      numbers_.emplace_back(log.crossings[rank].size());
      for (std::uint32_t i = 0; i < log.crossings[rank].size(); ++i) {
        const CrossingId id{static_cast<std::int32_t>(rank), i};
        all_.push_back({log.end(id), id});
      }
    }
    std::sort(all_.begin(), all_.end(), [](const Row& a, const Row& b) {
      return std::tie(a.end, a.id.rank, a.id.number) < std::tie(b.end, b.id.rank, b.id.number);
    });
    for (std::size_t row = 0; row < all_.size(); ++row)
      numbers_[all_[row].id.rank][all_[row].id.number] = static_cast<std::int64_t>(row);
  }

  [[nodiscard]] const std::vector<Row>& all() const { return all_; }
  // Number of the row; -1: no crossing.
  [[nodiscard]] std::int64_t number_of(CrossingId id) const {
    return id ? numbers_[id.rank][id.number] : -1;
  }

 private:
  std::vector<Row> all_;
  std::vector<std::vector<std::int64_t>> numbers_;  // by rank
};

// Work or a wait of a rank.
struct StepRow {
  std::int64_t time;   // [ps]
  Step kind;
  std::int64_t scope;
  std::int64_t cause;  // crossing that ended the wait; -1: none
};

// Appends the steps of a timeline in the order of time; returns how many.
std::int64_t append_steps(const RankTimeline& timeline, const CrossingRows& crossings,
                          std::vector<StepRow>& steps) {
  const auto first = static_cast<std::ptrdiff_t>(steps.size());
  std::int64_t scope = timeline.scope;
  for (std::size_t i = timeline.entries.size(); i > 0; --i) {
    const TimelineEntry& entry = timeline.entries[i - 1];
    if (entry.kind() == TimelineEntry::scope)
      scope = static_cast<std::int64_t>(entry.value());
    else if (entry.kind() == TimelineEntry::cause)
      steps.back().cause = crossings.number_of(CrossingId::of(entry.value()));
    else
      steps.push_back({entry.time(), step_of(entry), scope, -1});
  }
  std::reverse(steps.begin() + first, steps.end());
  return static_cast<std::int64_t>(steps.size()) - first;
}

nb::dict step_columns(const CauseLog& log, const CrossingRows& crossings) {
  std::vector<StepRow> steps;
  std::vector<std::int64_t> counts;
  for (const RankTimeline& timeline : log.timelines)
    counts.push_back(append_steps(timeline, crossings, steps));
  nb::dict out;
  out["count"] = to_array(std::move(counts));
  out["kind"] = column<std::uint8_t>(steps, [](const StepRow& s) { return s.kind; });
  out["time"] = column<std::int64_t>(steps, [](const StepRow& s) { return s.time; });
  out["scope"] = column<std::int32_t>(steps, [](const StepRow& s) { return s.scope; });
  out["cause"] = column<std::int64_t>(steps, [](const StepRow& s) { return s.cause; });
  return out;
}

nb::dict crossing_columns(const CauseLog& log, const CrossingRows& crossings) {
  using Row = CrossingRows::Row;
  const auto& all = crossings.all();
  // A column with a value of each crossing.
  const auto each = [&]<class T>(T /*type*/, auto value) {
    return column<T>(all, [&](const Row& row) { return value(log[row.id]); });
  };
  nb::dict out;
  out["handed"] = each(std::int64_t{}, [](const Crossing& c) { return c.handed; });
  out["end"] = column<std::int64_t>(all, [](const Row& row) { return row.end; });
  out["launcher"] = each(std::int32_t{}, [](const Crossing& c) { return c.launcher(); });
  out["from"] = each(std::int32_t{}, [](const Crossing& c) { return c.from; });
  out["to"] = each(std::int32_t{}, [](const Crossing& c) { return c.to; });
  out["parent"] = column<std::int64_t>(all, [&](const Row& row) {
    return crossings.number_of(log.crossings[row.id.rank].parent(row.id.number));
  });
  out["leg"] = each(std::uint8_t{}, [](const Crossing& c) { return c.leg(); });
  out["bytes"] = each(std::int64_t{}, [](const Crossing& c) { return c.bytes; });
  out["pieces"] = each(std::int32_t{}, [](const Crossing& c) { return c.pieces; });
  return out;
}

// The pieces of all crossings, in their order.
nb::dict piece_columns(const CauseLog& log, const CrossingRows& crossings) {
  std::vector<Piece> pieces;
  pieces.reserve(log.num_pieces());
  for (const CrossingRows::Row& row : crossings.all())
    log.crossings[row.id.rank].for_each_piece(
        log[row.id], [&pieces](const Piece& piece) { pieces.push_back(piece); });
  nb::dict out;
  out["part"] = column<std::uint8_t>(pieces, [](const Piece& p) { return p.part(); });
  out["link"] = column<std::int32_t>(pieces, [](const Piece& p) { return p.link(); });
  out["time"] = column<std::int64_t>(pieces, [](const Piece& p) { return p.time(); });
  return out;
}

// The acts of all ranks, rank by rank.
nb::dict act_columns(const std::vector<std::vector<Act>>& by_rank) {
  std::vector<Act> acts;
  std::vector<std::int32_t> ranks;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    acts.insert(acts.end(), by_rank[rank].begin(), by_rank[rank].end());
    ranks.resize(acts.size(), static_cast<std::int32_t>(rank));
  }
  nb::dict out;
  out["kind"] = column<std::uint8_t>(acts, [](const Act& a) { return a.kind; });
  out["rank"] = to_array(std::move(ranks));
  out["value"] = column<std::int64_t>(acts, [](const Act& a) { return a.value; });
  out["peer"] = column<std::int32_t>(acts, [](const Act& a) { return a.peer; });
  out["tag"] = column<std::int32_t>(acts, [](const Act& a) { return a.tag; });
  out["context"] = column<std::int32_t>(acts, [](const Act& a) { return a.context; });
  return out;
}

// Times of a rank by interval and kind.
class Intervals {
 public:
  static constexpr auto num_kinds = static_cast<std::size_t>(Shown::count);
  static constexpr std::uint8_t over = 255;

  Intervals(Time width, std::size_t bins) : width_(width), spent_(bins * num_kinds) {}

  void add(Time begin, Time end, Shown shown) {
    const auto kind = static_cast<std::size_t>(shown);
    while (begin < end) {
      const auto bin = static_cast<std::size_t>(begin / width_);
      if (bin * num_kinds >= spent_.size()) return;
      const Time until = std::min(end, static_cast<Time>(bin + 1) * width_);
      spent_[bin * num_kinds + kind] += until - begin;
      begin = until;
    }
  }
  // Appends the kind that most of each interval was, and begins again.
  void tell(std::vector<std::uint8_t>& kinds) {
    for (auto bin = spent_.begin(); bin != spent_.end(); bin += num_kinds) {
      const auto most = std::max_element(bin, bin + num_kinds);
      kinds.push_back(*most == 0 ? over : static_cast<std::uint8_t>(most - bin));
    }
    std::fill(spent_.begin(), spent_.end(), 0);
  }

 private:
  Time width_;  // [ps]
  std::vector<Time> spent_;
};

void add_timeline(const CauseLog& log, const RankTimeline& timeline, Intervals& intervals) {
  Time end = timeline.end;
  for (std::size_t i = timeline.entries.size(); i > 0; --i) {
    const TimelineEntry& entry = timeline.entries[i - 1];
    if (entry.kind() > TimelineEntry::idle) continue;
    const Time begin = end - entry.time();
    if (entry.kind() < TimelineEntry::idle) {
      intervals.add(begin, end, shown_as(category_of(step_of(entry))));
    } else {  // its cause stands before it
      const CrossingId cause = CrossingId::of(timeline.entries[i - 2].value());
      const Time middle = std::clamp(log[cause].handed, begin, end);
      intervals.add(begin, middle, Shown::late);
      intervals.add(middle, end, Shown::under_way);
    }
    end = begin;
  }
}

}  // namespace

nb::object kinds_by_interval(const Simulation& simulation, std::int64_t length, std::size_t bins) {
  const Explainer* explainer = simulation.explainer();
  if (explainer == nullptr || !explainer->keeps_path() || bins == 0) return nb::none();
  const CauseLog& log = explainer->log();
  const auto count = static_cast<Time>(bins);
  Intervals intervals(std::max<Time>(1, (length + count - 1) / count), bins);
  std::vector<std::uint8_t> kinds;
  for (const RankTimeline& timeline : log.timelines) {
    add_timeline(log, timeline, intervals);
    intervals.tell(kinds);
  }
  return nb::cast(to_array(std::move(kinds), bins));
}

nb::object causes(const Simulation& simulation, std::size_t most) {
  const Explainer* explainer = simulation.explainer();
  if (explainer == nullptr || !explainer->keeps_path()) return nb::none();
  const CauseLog& log = explainer->log();
  if (log.num_crossings() + log.num_pieces() + log.num_entries() > most) return nb::none();
  const CrossingRows crossings(log);
  nb::dict out;
  out["step"] = step_columns(log, crossings);
  out["crossing"] = crossing_columns(log, crossings);
  out["piece"] = piece_columns(log, crossings);
  return out;
}

nb::object acts(const Simulation& simulation) {
  if (!simulation.acts().keeps()) return nb::none();
  return act_columns(simulation.acts().by_rank());
}
