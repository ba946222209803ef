// odonata._core: readers of other trace formats, and traces made playable.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "bind.hpp"
#include "blocks.hpp"
#include "odonata/interchange/dumpi/trace.hpp"
#include "odonata/interchange/repair.hpp"

using namespace nb::literals;
using namespace odonata;
namespace dumpi = odonata::interchange::dumpi;

namespace {

using File = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::uint8_t> bytes_of(const File& file) { return {file.data(), file.size()}; }

// The trace with the arrays that it reads.
struct DumpiTrace {
  std::vector<File> files;
  dumpi::Trace trace;
};

dumpi::Trace make_trace(const std::vector<File>& files, std::vector<dumpi::RankContext> contexts) {
  std::vector<dumpi::Trace::File> spans;
  spans.reserve(files.size());
  for (const File& file : files) spans.push_back(bytes_of(file));
  return {std::move(spans), std::move(contexts)};
}

// Keeps the trace for as long as its source is read.
class HeldSource final : public trace::Source {
 public:
  HeldSource(std::shared_ptr<const DumpiTrace> held, std::shared_ptr<trace::Source> source)
      : held_(std::move(held)), source_(std::move(source)) {}

  bool next(int rank, trace::Record& record) override { return source_->next(rank, record); }
  void answer(int, const trace::Answer&) override {}

 private:
  std::shared_ptr<const DumpiTrace> held_;
  std::shared_ptr<trace::Source> source_;
};

// Members of a communicator, which all of them share.
struct Members {
  std::shared_ptr<const std::vector<std::uint64_t>> ranks;
};

// Calls of some functions, or of all: (function, thread, offset, wall, cpu, numbers) of each; times
// are (in, out) [ns].
nb::list calls_of(const File& file, const dumpi::Place& place, const std::vector<int>& functions) {
  dumpi::Stream stream(bytes_of(file), place);
  dumpi::Record record;
  nb::list all;
  const auto time = [](bool has, const dumpi::Span& span) -> nb::object {
    return has ? nb::object(nb::make_tuple(span.in, span.out)) : nb::none();
  };
  while (stream.next(record)) {
    const bool wanted = functions.empty() || std::find(functions.begin(), functions.end(),
                                                       record.function) != functions.end();
    if (!wanted) continue;
    all.append(nb::make_tuple(record.function, record.thread, record.offset,
                              time(record.has_wall, record.wall), time(record.has_cpu, record.cpu),
                              nb::cast(record.numbers)));
  }
  return all;
}

std::vector<std::tuple<std::string, std::string>> functions() {
  std::vector<std::tuple<std::string, std::string>> all;
  for (const dumpi::Row& row : dumpi::rows()) all.emplace_back(row.name, row.fields);
  return all;
}

void bind_dumpi(nb::module_& m) {
  m.def("dumpi_functions", &functions,
        "Functions of a DUMPI file with the fields of their records.");
  m.def("dumpi_calls", &calls_of, "file"_a, "place"_a, "functions"_a,
        "Calls of these functions, or of all: function, thread, offset, wall and processor time of "
        "entering and leaving [ns], fields.");
  nb::class_<dumpi::Place>(m, "DumpiPlace")
      .def(
          "__init__",
          [](dumpi::Place* p, std::uint64_t body, int version, std::string name) {
            new (p) dumpi::Place{body, version, std::move(name)};
          },
          "body"_a, "version"_a, "name"_a);
  nb::class_<Members>(m, "DumpiMembers")
      .def(
          "__init__",
          [](Members* members, std::vector<std::uint64_t> ranks) {
            new (members)
                Members{std::make_shared<const std::vector<std::uint64_t>>(std::move(ranks))};
          },
          "ranks"_a);
  nb::class_<dumpi::Communicator>(m, "DumpiCommunicator")
      .def(
          "__init__",
          [](dumpi::Communicator* c, std::uint32_t number, std::uint64_t identity,
             std::uint32_t position, const Members& members) {
            new (c) dumpi::Communicator{number, identity, position, members.ranks};
          },
          "number"_a, "identity"_a, "position"_a, "members"_a);
  nb::class_<dumpi::RankContext>(m, "DumpiContext")
      .def(nb::init<>())
      .def_rw("rank", &dumpi::RankContext::rank)
      .def_rw("num_ranks", &dumpi::RankContext::num_ranks)
      .def_rw("place", &dumpi::RankContext::place)
      .def_rw("sizes", &dumpi::RankContext::sizes)
      .def(
          "assume",
          [](dumpi::RankContext& f, std::int64_t handle, const dumpi::Communicator& c) {
            f.assumed.emplace_back(handle, c);
          },
          "handle"_a, "communicator"_a)
      .def(
          "create",
          [](dumpi::RankContext& f, const dumpi::Communicator& c) { f.created.push_back(c); },
          "communicator"_a);
  nb::class_<dumpi::Anomalies>(m, "DumpiAnomalies")
      .def_ro("unknown_requests", &dumpi::Anomalies::unknown_requests)
      .def_ro("unknown_communicators", &dumpi::Anomalies::unknown_communicators)
      .def_ro("unknown_datatypes", &dumpi::Anomalies::unknown_datatypes)
      .def_ro("misfits", &dumpi::Anomalies::misfits)
      .def_ro("backward_times", &dumpi::Anomalies::backward_times)
      .def_ro("marks", &dumpi::Anomalies::marks);
  nb::class_<DumpiTrace>(m, "DumpiTrace")
      .def(
          "__init__",
          [](DumpiTrace* t, std::vector<File> files, std::vector<dumpi::RankContext> contexts) {
            dumpi::Trace made = make_trace(files, std::move(contexts));
            new (t) DumpiTrace{std::move(files), std::move(made)};
          },
          "files"_a, "contexts"_a)
      .def(
          "learn", [](DumpiTrace& t) { t.trace.learn(); }, nb::call_guard<nb::gil_scoped_release>())
      .def("source",
           [](const std::shared_ptr<DumpiTrace>& t) -> std::shared_ptr<trace::Source> {
             return std::make_shared<HeldSource>(t, t->trace.source());
           })
      .def(
          "anomalies", [](const DumpiTrace& t, int rank) { return t.trace.anomalies(rank); },
          "rank"_a)
      .def(
          "unknown_communicators",
          [](const DumpiTrace& t, int rank) { return t.trace.unknown_communicators(rank); },
          "rank"_a)
      .def("counts", [](const DumpiTrace& t, int rank) { return t.trace.counts(rank); }, "rank"_a);
}

}  // namespace

void bind_interchange(nb::module_& m) {
  bind_dumpi(m);
  nb::class_<interchange::Repaired>(m, "Repaired")
      .def_ro("sends", &interchange::Repaired::sends)
      .def_ro("receives", &interchange::Repaired::receives)
      .def_ro("probes", &interchange::Repaired::probes)
      .def_ro("collectives", &interchange::Repaired::collectives)
      .def_ro("named", &interchange::Repaired::named)
      .def_ro("buffered", &interchange::Repaired::buffered);
  nb::class_<interchange::Repair>(m, "Repair")
      .def(nb::init<int>(), "ranks"_a)
      .def("count", &interchange::Repair::count, "source"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def("match", &interchange::Repair::match, "source"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def(
          "write",
          [](interchange::Repair& repair, trace::Source& source, nb::object sink) {
            const auto tell = telling(std::move(sink));
            nb::gil_scoped_release release;
            repair.write(source, tell);
          },
          "source"_a, "sink"_a)
      .def_prop_ro("repaired", &interchange::Repair::repaired)
      .def_prop_ro("calls", &interchange::Repair::calls);
}
