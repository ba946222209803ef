// odonata._core: the rank program that plays calls, and its measurements.
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "generator.hpp"
#include "odonata/workload/playback/player.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

// Calls by number of the function, of all ranks.
nb::ndarray<nb::memview, std::int64_t> calls(const PlayStatistics& statistics) {
  std::vector<std::int64_t> sums;
  for (const RankPlay& rank : statistics.ranks) {
    if (rank.calls.size() > sums.size()) sums.resize(rank.calls.size());
    for (std::size_t i = 0; i < rank.calls.size(); ++i) sums[i] += rank.calls[i];
  }
  return to_array(std::move(sums));
}

// [ranks, num_ops]
nb::ndarray<nb::memview, std::int64_t> times(const PlayStatistics& statistics) {
  std::vector<std::int64_t> all;
  for (const RankPlay& rank : statistics.ranks)
    all.insert(all.end(), rank.time.begin(), rank.time.end());
  return to_array(std::move(all), trace::num_ops);
}

// Raises odonata.errors.RankError, which carries the rank and the exit code.
void raise_abort(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Aborted& error) {
    const nb::object type = nb::module_::import_("odonata.errors").attr("RankError");
    const int status = (error.code & 255) != 0 ? error.code & 255 : 1;
    PyErr_SetObject(type.ptr(), type(error.what(), error.rank, status, true).ptr());
  }
}

}  // namespace

void bind_playback(nb::module_& m) {
  nb::register_exception_translator(raise_abort);
  nb::class_<PlayStatistics>(m, "PlayStatistics")
      .def(nb::init<>())
      .def("calls", &calls)
      .def("times", &times)
      .def("compute", [](const PlayStatistics& s) {
        return column<std::int64_t>(s.ranks, [](const RankPlay& rank) { return rank.compute; });
      });
  nb::class_<PlayOptions>(m, "PlayOptions")
      .def(nb::init<>())
      .def_rw("collectives", &PlayOptions::collectives)
      .def_rw("selection", &PlayOptions::selection)
      .def_rw("compute_scale", &PlayOptions::compute_scale)
      .def_rw("poll", &PlayOptions::poll)
      .def_rw("lookahead", &PlayOptions::lookahead)
      .def_rw("statistics", &PlayOptions::statistics)
      .def_rw("watcher", &PlayOptions::watcher);
  m.def(
      "play",
      [](std::shared_ptr<trace::Source> source, const PlayOptions& options) -> Runnable {
        return {play(std::move(source), options)};
      },
      "source"_a, "options"_a);
}
