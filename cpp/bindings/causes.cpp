#include "causes.hpp"

#include <algorithm>
#include <array>
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

// Work or a wait of a rank.
struct StepRow {
  std::int64_t time;   // [ps]
  Step kind;
  std::int64_t scope;
  std::int64_t cause;  // crossing that ended the wait; -1: none
};

// Appends the steps of a timeline in the order of time; returns how many.
std::int64_t append_steps(const TimelineEntries& entries, const RankTimeline& timeline,
                          std::vector<StepRow>& steps) {
  const auto first = static_cast<std::ptrdiff_t>(steps.size());
  std::int64_t scope = timeline.scope;
  for (std::uint32_t i = timeline.last; i != TimelineEntries::none; i = entries.before(i)) {
    const TimelineEntry& entry = entries[i];
    if (entry.kind() == TimelineEntry::scope)
      scope = static_cast<std::int64_t>(entry.value());
    else if (entry.kind() == TimelineEntry::cause)
      steps.back().cause = static_cast<std::int64_t>(entry.value());
    else
      steps.push_back({entry.time(), step_of(entry), scope, -1});
  }
  std::reverse(steps.begin() + first, steps.end());
  return static_cast<std::int64_t>(steps.size()) - first;
}

nb::dict step_columns(const CauseLog& log) {
  std::vector<StepRow> steps;
  std::vector<std::int64_t> counts;
  for (const RankTimeline& timeline : log.timelines)
    counts.push_back(append_steps(log.entries, timeline, steps));
  nb::dict out;
  out["count"] = to_array(std::move(counts));
  out["kind"] = column<std::uint8_t>(steps, [](const StepRow& s) { return s.kind; });
  out["time"] = column<std::int64_t>(steps, [](const StepRow& s) { return s.time; });
  out["scope"] = column<std::int32_t>(steps, [](const StepRow& s) { return s.scope; });
  out["cause"] = column<std::int64_t>(steps, [](const StepRow& s) { return s.cause; });
  return out;
}

// A column with a value of each crossing.
template <class T, class Value>
auto crossing_column(const Crossings& all, Value value) {
  std::vector<T> out(all.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(value(i, all[i]));
  return to_array(std::move(out));
}

nb::dict crossing_columns(const Crossings& all) {
  using Number = std::uint32_t;
  nb::dict out;
  out["handed"] = crossing_column<std::int64_t>(all, [](Number, auto& t) { return t.handed; });
  out["end"] = crossing_column<std::int64_t>(all, [&](Number, auto& t) { return all.end(t); });
  out["launcher"] =
      crossing_column<std::int32_t>(all, [](Number, auto& t) { return t.launcher(); });
  out["from"] = crossing_column<std::int32_t>(all, [](Number, auto& t) { return t.from; });
  out["to"] = crossing_column<std::int32_t>(all, [](Number, auto& t) { return t.to; });
  out["parent"] = crossing_column<std::int64_t>(all, [&](Number number, auto& /*crossing*/) {
    const std::uint32_t parent = all.parent(number);
    return parent == Crossing::none ? -1 : static_cast<std::int64_t>(parent);
  });
  out["leg"] = crossing_column<std::uint8_t>(all, [](Number, auto& t) { return t.leg(); });
  out["bytes"] = crossing_column<std::int64_t>(all, [](Number, auto& t) { return t.bytes; });
  out["pieces"] = crossing_column<std::int32_t>(all, [](Number, auto& t) { return t.pieces; });
  return out;
}

// The pieces of all crossings, in their order.
nb::dict piece_columns(const Crossings& all) {
  std::vector<Piece> pieces;
  for (std::uint32_t number = 0; number < all.size(); ++number)
    for (std::uint64_t i = 0; i < all[number].pieces; ++i)
      pieces.push_back(all.piece(all[number].first + i));
  nb::dict out;
  out["part"] = column<std::uint8_t>(pieces, [](const Piece& p) { return p.part(); });
  out["link"] = column<std::int32_t>(pieces, [](const Piece& p) { return p.link(); });
  out["time"] = column<std::int64_t>(pieces, [](const Piece& p) { return p.time(); });
  return out;
}

nb::dict act_columns(const ActList& acts) {
  std::vector<std::uint8_t> kinds;
  std::vector<std::int64_t> values;
  std::vector<std::int32_t> ranks, peers, tags, contexts;
  for (const auto each : {&ranks, &peers, &tags, &contexts}) each->reserve(acts.size());
  kinds.reserve(acts.size());
  values.reserve(acts.size());
  for (std::size_t i = 0; i < acts.size(); ++i) {
    const Act act = acts[static_cast<std::uint32_t>(i)];
    kinds.push_back(static_cast<std::uint8_t>(act.kind));
    ranks.push_back(act.rank);
    values.push_back(act.value);
    peers.push_back(act.peer);
    tags.push_back(act.tag);
    contexts.push_back(act.context);
  }
  nb::dict out;
  out["kind"] = to_array(std::move(kinds));
  out["rank"] = to_array(std::move(ranks));
  out["value"] = to_array(std::move(values));
  out["peer"] = to_array(std::move(peers));
  out["tag"] = to_array(std::move(tags));
  out["context"] = to_array(std::move(contexts));
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
  for (std::uint32_t i = timeline.last; i != TimelineEntries::none; i = log.entries.before(i)) {
    const TimelineEntry& entry = log.entries[i];
    if (entry.kind() > TimelineEntry::idle) continue;
    const Time begin = end - entry.time();
    if (entry.kind() < TimelineEntry::idle) {
      intervals.add(begin, end, shown_as(category_of(step_of(entry))));
    } else {  // its cause stands before it
      const std::uint64_t cause = log.entries[log.entries.before(i)].value();
      const Time middle =
          std::clamp(log.crossings[static_cast<std::uint32_t>(cause)].handed, begin, end);
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
  const std::size_t rows = log.crossings.size() + log.crossings.num_pieces() + log.entries.size();
  if (rows > most) return nb::none();
  nb::dict out;
  out["step"] = step_columns(log);
  out["crossing"] = crossing_columns(log.crossings);
  out["piece"] = piece_columns(log.crossings);
  return out;
}

nb::object acts(const Simulation& simulation) {
  if (!simulation.acts().record()) return nb::none();
  return act_columns(*simulation.acts().record());
}
