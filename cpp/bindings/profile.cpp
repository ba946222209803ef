// odonata._core: profiles of runs whose calls are records.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "blocks.hpp"
#include "odonata/profile/profiler.hpp"
#include "odonata/profile/wait_states.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

using ByteArray = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const ByteArray& bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Calls of a block of a trace, whose numbers its reader has checked. Times [ns] may be missing.
struct Calls {
  Calls(const ByteArray& given_ranks, const ByteArray& given_calls, const ByteArray& given_words,
        const ByteArray& given_found, const ByteArray& given_begins, const ByteArray& given_ends)
      : ranks(span_of<std::int32_t>(given_ranks)),
        calls(span_of<trace::Call>(given_calls)),
        words(span_of<std::uint64_t>(given_words)),
        found(span_of<trace::Found>(given_found)),
        begins(span_of<std::int64_t>(given_begins)),
        ends(span_of<std::int64_t>(given_ends)) {
    const bool timed = begins.size() == calls.size() && ends.size() == calls.size();
    const bool untimed = begins.empty() && ends.empty();
    if (calls.size() != ranks.size() || found.size() != ranks.size() || !(timed || untimed))
      throw nb::value_error("columns of a block of different lengths");
  }

  // Hands each call to `take`: its place and its words.
  template <class Take>
  void each(int num_ranks, Take take) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::size_t n = calls[i].num_words;
      if (ranks[i] < 0 || ranks[i] >= num_ranks || n > words.size() - at)
        throw nb::value_error("a block that is not in order");
      take(i, words.subspan(at, n));
      at += n;
    }
  }

  std::span<const std::int32_t> ranks;
  std::span<const trace::Call> calls;
  std::span<const std::uint64_t> words;
  std::span<const trace::Found> found;
  std::span<const std::int64_t> begins, ends;
};

constexpr Time nanosecond = 1000;  // [ps]

void add(profile::Profiler& profiler, const ByteArray& ranks, const ByteArray& calls,
         const ByteArray& words, const ByteArray& found, const ByteArray& begins,
         const ByteArray& ends) {
  const Calls all(ranks, calls, words, found, begins, ends);
  const nb::gil_scoped_release release;
  const bool timed = !all.begins.empty();
  all.each(profiler.num_ranks(), [&](std::size_t i, std::span<const std::uint64_t> own) {
    const Time begin = timed ? all.begins[i] * nanosecond : 0;
    const Time end = timed ? all.ends[i] * nanosecond : 0;
    if (timed) profiler.start(all.ranks[i], begin);
    profiler.called(all.ranks[i], all.calls[i], own, all.found[i], begin, end);
  });
}

// The same for waits, which look at outcomes as well.
void add_waits(profile::WaitStates& waits, const ByteArray& ranks, const ByteArray& calls,
               const ByteArray& words, const ByteArray& found, const ByteArray& given_num_outcomes,
               const ByteArray& given_outcomes, const ByteArray& begins, const ByteArray& ends) {
  const Calls all(ranks, calls, words, found, begins, ends);
  const auto num_outcomes = span_of<std::uint32_t>(given_num_outcomes);
  const auto outcomes = span_of<trace::Outcome>(given_outcomes);
  if (num_outcomes.size() != all.calls.size() || all.begins.size() != all.calls.size())
    throw nb::value_error("columns of a block of different lengths");
  const nb::gil_scoped_release release;
  std::size_t at = 0;
  all.each(waits.num_ranks(), [&](std::size_t i, std::span<const std::uint64_t> own) {
    if (num_outcomes[i] > outcomes.size() - at)
      throw nb::value_error("a block that is not in order");
    waits.called(all.ranks[i], all.calls[i], own, all.found[i],
                 outcomes.subspan(at, num_outcomes[i]), all.begins[i], all.ends[i]);
    at += num_outcomes[i];
  });
}

nb::ndarray<nb::memview, std::int64_t> wait_sums(const profile::WaitStates& waits) {
  std::vector<std::array<std::int64_t, 5>> rows;
  for (const auto& [key, sum] : waits.sums())
    rows.push_back(
        {key.rank, key.function, static_cast<std::int64_t>(key.wait), sum.calls, sum.time});
  std::sort(rows.begin(), rows.end());
  std::vector<std::int64_t> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return to_array(std::move(all), 5);
}

// Calls that a reader takes from other files.
void add_source(profile::Profiler& profiler, trace::Source& source) {
  const nb::gil_scoped_release release;
  trace::Record record;
  for (int rank = 0; rank < profiler.num_ranks(); ++rank)
    while (source.next(rank, record)) {
      const trace::Found found = !record.decided          ? trace::Found::unknown
                                 : record.found.flag == 0 ? trace::Found::flag_off
                                                          : trace::Found::flag_on;
      profiler.called(rank, record.call, record.words, found, 0, 0);
    }
}

nb::ndarray<nb::memview, std::uint64_t> cells(const profile::Profiler& profiler, int rank) {
  std::vector<std::uint64_t> all;
  for (const profile::Cell& cell : profiler.cells(rank))
    all.insert(all.end(), {cell.key, cell.count, cell.bytes, cell.time});
  return to_array(std::move(all), 4);
}

nb::bytes head(const profile::Profiler& profiler, int rank) {
  std::vector<char> bytes(profile::head_bytes);
  std::memcpy(bytes.data(), &profiler.head(rank), sizeof(profile::Head));
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

void bind_profile(nb::module_& m) {
  nb::class_<trace::Watcher>(m, "CallWatcher");
  nb::class_<profile::Profiler, trace::Watcher>(m, "Profiler")
      .def(nb::init<int>(), "ranks"_a)
      .def("add", &add, "ranks"_a, "calls"_a, "words"_a, "found"_a, "begins"_a, "ends"_a,
           "Count the calls of a block; each column is given as its bytes, times [ns] or nothing.")
      .def("add_source", &add_source, "source"_a, "Count the calls of a source, rank by rank.")
      .def("finish", &profile::Profiler::finish)
      .def("head", &head, "rank"_a, "Head of the rank's file.")
      .def("cells", &cells, "rank"_a, "Cells by key; shape (n, 4): key, count, bytes, time.");
  nb::class_<profile::WaitStates>(m, "WaitStates")
      .def(
          "__init__",
          [](profile::WaitStates* w, int ranks, const nb::object& matches) {
            new (w) profile::WaitStates(ranks, from_bytes<trace::Match>(matches));
          },
          "ranks"_a, "matches"_a)
      .def("add", &add_waits, "ranks"_a, "calls"_a, "words"_a, "found"_a, "num_outcomes"_a,
           "outcomes"_a, "begins"_a, "ends"_a,
           "Look at the calls of a block; each column is given as its bytes, times [ns].")
      .def("sums", &wait_sums, "Shape (n, 5): rank, function, reason, calls, time [ns].")
      .def_prop_ro("num_messages", &profile::WaitStates::num_messages)
      .def_prop_ro("num_reversed", &profile::WaitStates::num_reversed);
  m.attr("wait_state_names") = nb::cast(
      std::vector<std::string>(profile::wait_state_names.begin(), profile::wait_state_names.end()));
}
