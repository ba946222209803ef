// odonata._core: programs that run for real, their ranks as processes or as fibers.
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "held.hpp"
#include "odonata/live/mpi_libraries.hpp"
#include "odonata/live/run.hpp"
#include "odonata/trace/functions.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

using live::FiberRun;
using live::ProcessRun;

void check_signals() {
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// Paths and environments need not be text.
std::string text(const nb::handle& bytes) {
  const auto held = nb::cast<nb::bytes>(bytes);
  return {held.c_str(), held.size()};
}

std::vector<std::string> texts(const nb::list& all) {
  std::vector<std::string> out;
  for (const nb::handle& bytes : all) out.push_back(text(bytes));
  return out;
}

// Raises odonata.errors.RankError, which carries the rank and the exit code.
void raise_exit(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const live::RankFailed& error) {
    const nb::object type = nb::module_::import_("odonata.errors").attr("RankError");
    const nb::object made = type(error.what(), error.rank, error.exit_code, error.said);
    PyErr_SetObject(type.ptr(), made.ptr());
  }
}

void bind_options(nb::module_& m) {
  nb::class_<live::Command>(m, "Command")
      .def(
          "__init__",
          [](live::Command* c, const nb::bytes& file, const nb::list& arguments,
             const nb::list& environment, int num_ranks) {
            new (c) live::Command{text(file), texts(arguments), texts(environment), num_ranks};
          },
          "file"_a, "arguments"_a, "environment"_a, "num_ranks"_a);
  nb::class_<live::MemoryOptions>(m, "MemoryOptions")
      .def(nb::init<>())
      .def_rw("num_ranks", &live::MemoryOptions::num_ranks)
      .def_rw("nodes", &live::MemoryOptions::nodes)
      .def_rw("ring_bytes", &live::MemoryOptions::ring_bytes)
      .def_rw("arena_bytes", &live::MemoryOptions::arena_bytes)
      .def_rw("measure", &live::MemoryOptions::measure)
      .def_rw("lookahead", &live::MemoryOptions::lookahead)
      .def_rw("recorded", &live::MemoryOptions::recorded)
      .def_rw("orders", &live::MemoryOptions::orders)
      .def_rw("calibration", &live::MemoryOptions::calibration)
      .def_rw("compute_scale", &live::MemoryOptions::compute_scale)
      .def_rw("poll", &live::MemoryOptions::poll)
      .def_rw("wait_per_request", &live::MemoryOptions::wait_per_request)
      .def_rw("host_prefix", &live::MemoryOptions::host_prefix)
      .def_rw("host_digits", &live::MemoryOptions::host_digits)
      .def_rw("shared", &live::MemoryOptions::shared);
  nb::class_<live::ProcessOptions>(m, "ProcessOptions")
      .def(nb::init<>())
      .def_rw("commands", &live::ProcessOptions::commands)
      .def_rw("variables", &live::ProcessOptions::variables)
      .def_rw("output", &live::ProcessOptions::output)
      .def_rw("tag_output", &live::ProcessOptions::tag_output);
  nb::class_<live::StandIn>(m, "StandIn")
      .def(
          "__init__",
          [](live::StandIn* s, std::string path, std::vector<std::string> names, bool first) {
            new (s) live::StandIn{std::move(path), std::move(names), first};
          },
          "path"_a, "names"_a, "first"_a);
  nb::class_<live::AbiAbout>(m, "AbiAbout")
      .def_prop_ro("name", [](const live::AbiAbout& a) { return std::string(a.name); })
      .def_prop_ro("title", [](const live::AbiAbout& a) { return std::string(a.title); })
      .def_prop_ro("library", [](const live::AbiAbout& a) { return std::string(a.library); })
      .def_prop_ro("fortran", [](const live::AbiAbout& a) { return std::string(a.fortran); })
      .def_prop_ro("installation",
                   [](const live::AbiAbout& a) { return std::string(a.installation); });
  m.def("mpi_abis",
        [] { return std::vector<live::AbiAbout>(std::begin(live::abis), std::end(live::abis)); });
  nb::class_<live::MpiLibrary>(m, "MpiLibrary")
      .def_prop_ro("name", [](const live::MpiLibrary& l) { return std::string(l.name); })
      .def_prop_ro("abi", [](const live::MpiLibrary& l) { return std::string(l.abi); })
      .def_prop_ro("role",
                   [](const live::MpiLibrary& l) {
                     static constexpr std::array roles{"c", "fortran", "modules", "stays",
                                                       "refused"};
                     return std::string(roles.at(static_cast<std::size_t>(l.role)));
                   })
      .def_prop_ro("of", [](const live::MpiLibrary& l) { return std::string(l.of); });
  m.def("mpi_libraries", [] {
    return std::vector<live::MpiLibrary>(std::begin(live::mpi_libraries),
                                         std::end(live::mpi_libraries));
  });
  // None for a name of no MPI that is known.
  m.def(
      "mpi_library",
      [](const std::string& name) -> std::optional<live::MpiLibrary> {
        const live::MpiLibrary* found = live::mpi_library(name.c_str());
        return found == nullptr ? std::nullopt : std::optional(*found);
      },
      "name"_a);
  nb::class_<live::FiberOptions>(m, "FiberOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "program", [](const live::FiberOptions& o) { return o.program.path; },
          [](live::FiberOptions& o, const nb::bytes& path) { o.program.path = text(path); })
      .def_prop_rw(
          "libraries", [](const live::FiberOptions& o) { return o.program.libraries.size(); },
          [](live::FiberOptions& o, const std::vector<live::StandIn>& all) {
            o.program.libraries = all;
          })
      .def_prop_rw(
          "names_template", [](const live::FiberOptions& o) { return o.program.names_template; },
          [](live::FiberOptions& o, const std::string& path) { o.program.names_template = path; })
      .def_prop_rw(
          "shared_globals", [](const live::FiberOptions& o) { return o.program.shared; },
          [](live::FiberOptions& o, bool shared) { o.program.shared = shared; })
      .def_prop_rw(
          "environments", [](const live::FiberOptions& o) { return o.program.environments.size(); },
          [](live::FiberOptions& o, const std::vector<std::vector<std::string>>& all) {
            o.program.environments = all;
          })
      .def_rw("clocks", &live::FiberOptions::clocks)
      .def_prop_rw(
          "arguments", [](const live::FiberOptions& o) { return o.arguments.size(); },
          [](live::FiberOptions& o, const nb::list& all) { o.arguments = texts(all); })
      .def_rw("stack_bytes", &live::FiberOptions::stack_bytes);
}

// Python's order for a question: (rank, function, size, members, grid, from, to, weight) -> order.
live::LiveSource::Orderer orderer(const nb::callable& order) {
  const auto held = std::make_shared<Held>(order);
  return [held](int rank, const live::OrderQuestion& asked) {
    const nb::gil_scoped_acquire acquire;
    std::vector<std::int32_t> from, to, weight;
    for (const live::Edge& edge : asked.edges) {
      from.push_back(edge.from);
      to.push_back(edge.to);
      weight.push_back(edge.weight);
    }
    const std::string_view function = trace::function_names()[asked.function];
    const nb::object made = held->object(rank, nb::str(function.data(), function.size()),
                                         asked.size, asked.members, asked.grid, from, to, weight);
    return nb::cast<std::vector<std::int32_t>>(made);
  };
}

template <class Run, class Options>
nb::class_<Run> bind_run(nb::module_& m, const char* name) {
  return nb::class_<Run>(m, name)
      .def(
          "__init__",
          [](Run* run, const live::MemoryOptions& memory, const Options& options) {
            new (run) Run(memory, options, &check_signals);
          },
          "memory"_a, "options"_a)
      .def(
          "start", [](Run& run) { run.ranks.start(); }, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("source",
                   [](std::shared_ptr<Run> run) {
                     return std::shared_ptr<trace::Source>(run, &run->source);
                   })
      .def(
          "on_order",
          [](Run& run, const nb::callable& order) { run.source.on_order(orderer(order)); },
          "order"_a)
      .def_prop_ro("abi",
                   [](const Run& run) { return live::abi_name(run.memory.header().abi.load()); })
      .def("deadlock_report", [](const Run& run) { return run.source.deadlock_report(); })
      .def_prop_ro("num_answers", [](const Run& run) { return run.source.num_answers(); })
      .def_prop_ro("num_sleeps", [](const Run& run) { return run.source.num_sleeps(); });
}

}  // namespace

void bind_live(nb::module_& m) {
  nb::register_exception_translator(raise_exit);
  bind_options(m);
  bind_run<ProcessRun, live::ProcessOptions>(m, "ProcessRun")
      .def(
          "finish", [](ProcessRun& run) { run.ranks.finish(run.interrupt); },
          nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("exit_code", [](const ProcessRun& run) { return run.ranks.exit_code(); })
      .def(
          "kill", [](ProcessRun& run) { run.ranks.kill(); },
          nb::call_guard<nb::gil_scoped_release>());
  bind_run<FiberRun, live::FiberOptions>(m, "FiberRun")
      .def(
          "finish", [](FiberRun& run) { run.ranks.finish(); },
          nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("num_guarded", [](const FiberRun& run) { return run.ranks.num_guarded(); })
      .def_prop_ro("exit_code", [](const FiberRun& run) { return run.ranks.exit_code(); })
      .def_prop_ro("had_threads", [](const FiberRun& run) { return run.ranks.had_threads(); })
      .def("late_libraries", [](const FiberRun& run) { return run.ranks.late_libraries(); })
      .def("flush", [](FiberRun&) { std::fflush(nullptr); });
}
