#include "causes.hpp"

#include <algorithm>
#include <vector>

#include "arrays.hpp"

using namespace odonata;

namespace {

// Work or a wait of a rank.
struct Step {
  std::int64_t time;   // [ps]
  std::uint8_t kind;   // as in LineEntry
  std::int64_t scope;
  std::int64_t cause;  // crossing that ended the wait; -1: none
};

// Appends the steps of a line in the order of time; returns how many.
std::int64_t append_steps(const LineEntries& entries, const Line& line, std::vector<Step>& steps) {
  const auto first = static_cast<std::ptrdiff_t>(steps.size());
  std::int64_t scope = line.scope;
  for (std::uint32_t i = line.last; i != LineEntries::none; i = entries.before(i)) {
    const LineEntry& entry = entries[i];
    if (entry.kind() == LineEntry::scope)
      scope = static_cast<std::int64_t>(entry.value());
    else if (entry.kind() == LineEntry::cause)
      steps.back().cause = static_cast<std::int64_t>(entry.value());
    else
      steps.push_back({entry.time(), entry.kind(), scope, -1});
  }
  std::reverse(steps.begin() + first, steps.end());
  return static_cast<std::int64_t>(steps.size()) - first;
}

nb::dict step_columns(const CauseLog& log) {
  std::vector<Step> steps;
  std::vector<std::int64_t> counts;
  for (const Line& line : log.lines) counts.push_back(append_steps(log.entries, line, steps));
  nb::dict out;
  out["count"] = to_array(std::move(counts));
  out["kind"] = column<std::uint8_t>(steps, [](const Step& s) { return s.kind; });
  out["time"] = column<std::int64_t>(steps, [](const Step& s) { return s.time; });
  out["scope"] = column<std::int32_t>(steps, [](const Step& s) { return s.scope; });
  out["cause"] = column<std::int64_t>(steps, [](const Step& s) { return s.cause; });
  return out;
}

nb::dict crossing_columns(const std::vector<Transit>& all) {
  nb::dict out;
  out["handed"] = column<std::int64_t>(all, [](const auto& t) { return t.handed; });
  out["end"] = column<std::int64_t>(all, [](const auto& t) { return t.end; });
  out["launcher"] = column<std::int32_t>(all, [](const auto& t) { return t.launcher; });
  out["from"] = column<std::int32_t>(all, [](const auto& t) { return t.from; });
  out["to"] = column<std::int32_t>(all, [](const auto& t) { return t.to; });
  out["parent"] = column<std::int64_t>(all, [](const auto& t) {
    return t.parent == Transit::none ? -1 : static_cast<std::int64_t>(t.parent);
  });
  out["leg"] = column<std::uint8_t>(all, [](const auto& t) { return t.leg; });
  out["bytes"] = column<std::int64_t>(all, [](const auto& t) { return t.bytes; });
  out["pieces"] = column<std::int32_t>(all, [](const auto& t) { return t.pieces; });
  return out;
}

// The pieces of all crossings, in their order.
nb::dict piece_columns(const CauseLog& log) {
  std::vector<Piece> pieces;
  for (const Transit& transit : log.transits)
    for (std::uint64_t i = transit.first; i < transit.first + transit.pieces; ++i)
      pieces.push_back(log.pieces[i]);
  nb::dict out;
  out["part"] = column<std::uint8_t>(pieces, [](const Piece& p) { return p.part(); });
  out["link"] = column<std::int32_t>(pieces, [](const Piece& p) { return p.link(); });
  out["time"] = column<std::int64_t>(pieces, [](const Piece& p) { return p.time(); });
  return out;
}

}  // namespace

nb::object causes(const Simulation& simulation, std::size_t most) {
  const Recorder* recorder = simulation.recorder();
  if (recorder == nullptr) return nb::none();
  const CauseLog& log = recorder->log();
  const std::size_t rows = log.transits.size() + log.pieces.size() + log.entries.size();
  if (rows > most) return nb::none();
  nb::dict out;
  out["step"] = step_columns(log);
  out["crossing"] = crossing_columns(log.transits);
  out["piece"] = piece_columns(log);
  return out;
}
