// odonata._core: profiles of runs whose calls are records.
#include <nanobind/stl/shared_ptr.h>

#include <cstring>
#include <vector>

#include "arrays.hpp"
#include "bind.hpp"
#include "odonata/profile/profiler.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

using ByteArray = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const ByteArray& bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Calls of a block of a trace, whose numbers its reader has checked; there are no times.
void add(profile::Profiler& profiler, const ByteArray& given_ranks, const ByteArray& given_calls,
         const ByteArray& given_words, const ByteArray& given_found) {
  const auto ranks = span_of<std::int32_t>(given_ranks);
  const auto calls = span_of<trace::Call>(given_calls);
  const auto words = span_of<std::uint64_t>(given_words);
  const auto found = span_of<trace::Found>(given_found);
  if (calls.size() != ranks.size() || found.size() != ranks.size())
    throw nb::value_error("columns of a block of different lengths");
  const nb::gil_scoped_release release;
  std::size_t at = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const trace::Call& call = calls[i];
    if (ranks[i] < 0 || ranks[i] >= profiler.num_ranks() || call.num_words > words.size() - at)
      throw nb::value_error("a block that is not in order");
    profiler.called(ranks[i], call, words.subspan(at, call.num_words), found[i], 0, 0);
    at += call.num_words;
  }
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
      .def("add", &add, "ranks"_a, "calls"_a, "words"_a, "found"_a,
           "Count the calls of a block; each column is given as its bytes.")
      .def("add_source", &add_source, "source"_a, "Count the calls of a source, rank by rank.")
      .def("finish", &profile::Profiler::finish)
      .def("head", &head, "rank"_a, "Head of the rank's file.")
      .def("cells", &cells, "rank"_a, "Cells by key; shape (n, 4): key, count, bytes, time.");
}
