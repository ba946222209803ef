// odonata._core: sources of calls, and the blocks that pass between them and files.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <tuple>

#include "arrays.hpp"
#include "bind.hpp"
#include "blocks.hpp"
#include "odonata/trace/codec.hpp"
#include "odonata/trace/functions.hpp"
#include "odonata/trace/rank_logs.hpp"
#include "odonata/trace/recorded.hpp"
#include "odonata/trace/recording_source.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

std::vector<std::string> function_names() {
  const auto names = trace::function_names();
  return {names.begin(), names.end()};
}

// A row of trace/collectives.inc, in words.
struct CollectiveOperation {
  std::string name;
  bool rooted;
  std::string sizes, moves, block, summary;
};

std::vector<CollectiveOperation> collective_operations() {
  return {
#define ODONATA_OPERATION(name, root, sizes, moves, input, output, mpich, openmpi, between, block, \
                          summary)                                                                 \
  {#name, trace::Root::root == trace::Root::rooted, #sizes, #moves, block, summary},
#include "odonata/trace/collectives.inc"
#undef ODONATA_OPERATION
  };
}

std::vector<std::pair<std::string, std::string>> call_operations() {
  return {
#define ODONATA_OP(name, kind) {#name, #kind},
#include "odonata/trace/ops.inc"
#undef ODONATA_OP
  };
}

std::vector<std::tuple<std::string, std::string, std::size_t, std::size_t, bool>> call_fields() {
  std::vector<std::tuple<std::string, std::string, std::size_t, std::size_t, bool>> all;
  for (const trace::Field& f : trace::fields())
    all.emplace_back(f.view, f.name, f.offset, f.bytes, f.is_signed);
  return all;
}

// One call of a source, for tests and for looking at it.
nb::object next_call(trace::Source& source, int rank) {
  trace::Record record;
  {
    nb::gil_scoped_release release;
    if (!source.next(rank, record)) return nb::none();
  }
  return nb::make_tuple(to_bytes(std::vector{record.call}), to_bytes(record.words), record.decided,
                        record.found.flag, to_bytes(record.found.outcomes));
}

// The columns of `to_tuple`, then the begins and ends of the calls.
nb::object next_block(trace::RankLogs& logs) {
  std::optional<trace::TimedBlock> got;
  {
    nb::gil_scoped_release release;
    got = logs.next();
  }
  if (!got) return nb::none();
  return to_tuple(got->block) + nb::make_tuple(to_bytes(got->begins), to_bytes(got->ends));
}

}  // namespace

void bind_trace(nb::module_& m) {
  m.def("function_names", &function_names);
  m.attr("num_trace_ops") = trace::num_ops;
  m.attr("call_bytes") = sizeof(trace::Call);
  m.def("call_operations", &call_operations, "Every operation with the view that its calls have.");
  m.def("call_fields", &call_fields,
        "Fields of a call: view, name, offset, bytes, and whether it has a sign.");
  nb::class_<CollectiveOperation>(m, "CollectiveOperation")
      .def_ro("name", &CollectiveOperation::name)
      .def_ro("rooted", &CollectiveOperation::rooted)
      .def_ro("sizes", &CollectiveOperation::sizes)
      .def_ro("moves", &CollectiveOperation::moves)
      .def_ro("block", &CollectiveOperation::block)
      .def_ro("summary", &CollectiveOperation::summary);
  m.def("collective_operations", &collective_operations);
  nb::class_<trace::RankLogs>(m, "RankLogs")
      .def(nb::init<const std::vector<std::string>&>(), "paths"_a)
      .def_prop_ro("num_ranks", &trace::RankLogs::num_ranks)
      .def_prop_ro("complete", &trace::RankLogs::complete)
      .def_prop_ro("lost", &trace::RankLogs::lost)
      .def_prop_ro("num_calls", &trace::RankLogs::num_calls)
      .def_prop_ro("program",
                   [](const trace::RankLogs& logs) {
                     const std::string& text = logs.program();  // any bytes
                     return nb::bytes(text.data(), text.size());
                   })
      .def_prop_ro("hosts", &trace::RankLogs::hosts)
      .def("next", &next_block, "Columns of the next block as bytes, with times; None at the end.");
  nb::class_<trace::Source>(m, "TraceSource")
      .def("next", &next_call, "rank"_a)
      .def(
          "answer",
          [](trace::Source& source, int rank, int flag, const nb::object& outcomes) {
            const trace::Answer answer{.flag = flag,
                                       .outcomes = from_bytes<trace::Outcome>(outcomes)};
            nb::gil_scoped_release release;
            source.answer(rank, answer);
          },
          "rank"_a, "flag"_a, "outcomes"_a);
  nb::class_<trace::Recorded, trace::Source>(m, "Recorded")
      .def(
          "__init__",
          [](trace::Recorded* r, int ranks, const nb::object& matches, nb::object more,
             std::size_t most_held) {
            new (r)
                trace::Recorded(ranks, from_bytes<trace::Match>(matches), asking(more), most_held);
          },
          "ranks"_a, "matches"_a, "more"_a, "most_held_bytes"_a);
  nb::class_<trace::RecordingSource, trace::Source>(m, "RecordingSource")
      .def(
          "__init__",
          [](trace::RecordingSource* r, std::shared_ptr<trace::Source> source, int ranks,
             nb::object sink) {
            new (r) trace::RecordingSource(std::move(source), ranks, telling(std::move(sink)));
          },
          "source"_a, "ranks"_a, "sink"_a)
      .def("finish", &trace::RecordingSource::finish);
  nb::class_<trace::RecordedCompute, trace::Source>(m, "RecordedCompute")
      .def(nb::init<std::shared_ptr<trace::Source>, std::shared_ptr<trace::Recorded>>(), "source"_a,
           "trace"_a);
}
