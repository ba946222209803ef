// odonata._core: simulations and their measurements.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "causes.hpp"
#include "generator.hpp"
#include "odonata/explain/critical_path.hpp"
#include "odonata/mpi/rank.hpp"
#include "odonata/simulate/simulation.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

void bind_engine_options(nb::module_& m) {
  nb::class_<SimulationOptions>(m, "SimulationOptions")
      .def(nb::init<>())
      .def_rw("seed", &SimulationOptions::seed)
      .def_rw("digest", &SimulationOptions::digest)
      .def_rw("keep_log", &SimulationOptions::keep_log)
      .def_rw("explain", &SimulationOptions::explain)
      .def_rw("explain_path", &SimulationOptions::explain_path)
      .def_rw("acts", &SimulationOptions::acts)
      .def_rw("most_samples", &SimulationOptions::most_samples)
      .def_rw("shuffle_insertions", &SimulationOptions::shuffle_insertions)
      .def_rw("engine", &SimulationOptions::engine)
      .def_rw("mpi", &SimulationOptions::mpi);
  nb::class_<EngineOptions>(m, "EngineOptions")
      .def(nb::init<>())
      .def_rw("engine", &EngineOptions::engine)
      .def_rw("packet_bytes", &EngineOptions::packet_bytes)
      .def_rw("header_bytes", &EngineOptions::header_bytes)
      .def_rw("window_bytes", &EngineOptions::window_bytes)
      .def_rw("message_gap", &EngineOptions::message_gap)
      .def_rw("in_turns", &EngineOptions::in_turns)
      .def_rw("congestion_bytes", &EngineOptions::congestion_bytes)
      .def_rw("congestion_delay", &EngineOptions::congestion_delay)
      .def_prop_rw(
          "routing", [](const EngineOptions& o) { return o.routing.policy; },
          [](EngineOptions& o, const std::string& name) { o.routing.policy = name; })
      .def_prop_rw(
          "routing_seed", [](const EngineOptions& o) { return o.routing.seed; },
          [](EngineOptions& o, std::uint64_t seed) { o.routing.seed = seed; })
      .def_prop_rw(
          "bias_bytes", [](const EngineOptions& o) { return o.routing.bias_bytes; },
          [](EngineOptions& o, Bytes bytes) { o.routing.bias_bytes = bytes; });
  const auto per_byte = [](PerByte MpiOptions::* field) {
    return std::pair{[field](const MpiOptions& o) { return (o.*field).picoseconds; },
                     [field](MpiOptions& o, double value) { (o.*field).picoseconds = value; }};
  };
  const auto [get_send, set_send] = per_byte(&MpiOptions::send_per_byte);
  const auto [get_recv, set_recv] = per_byte(&MpiOptions::recv_per_byte);
  const auto [get_reduce, set_reduce] = per_byte(&MpiOptions::reduce_per_byte);
  const auto [get_copy, set_copy] = per_byte(&MpiOptions::copy_per_byte);
  const auto [get_eager, set_eager] = per_byte(&MpiOptions::eager_per_byte);
  const auto [get_long, set_long] = per_byte(&MpiOptions::long_per_byte);
  nb::class_<MpiOptions>(m, "MpiOptions")
      .def(nb::init<>())
      .def_rw("send_overhead", &MpiOptions::send_overhead)
      .def_rw("recv_overhead", &MpiOptions::recv_overhead)
      .def_rw("node_send_overhead", &MpiOptions::node_send_overhead)
      .def_rw("node_recv_overhead", &MpiOptions::node_recv_overhead)
      .def_prop_rw("send_per_byte", get_send, set_send)
      .def_prop_rw("recv_per_byte", get_recv, set_recv)
      .def_prop_rw("reduce_per_byte", get_reduce, set_reduce)
      .def_prop_rw("copy_per_byte", get_copy, set_copy)
      .def_rw("search_per_entry", &MpiOptions::search_per_entry)
      .def_rw("wait_per_request", &MpiOptions::wait_per_request)
      .def_rw("outstanding", &MpiOptions::outstanding)
      .def_rw("short_threshold", &MpiOptions::short_threshold)
      .def_rw("eager_overhead", &MpiOptions::eager_overhead)
      .def_rw("fetch_latency", &MpiOptions::fetch_latency)
      .def_prop_rw("eager_per_byte", get_eager, set_eager)
      .def_rw("eager_threshold", &MpiOptions::eager_threshold)
      .def_rw("rendezvous_overhead", &MpiOptions::rendezvous_overhead)
      .def_rw("long_threshold", &MpiOptions::long_threshold)
      .def_prop_rw("long_per_byte", get_long, set_long)
      .def_rw("control_bytes", &MpiOptions::control_bytes);
}

// Runs without the interpreter's lock; `report` is called with it.
bool run(Simulation& simulation, const nb::object& report) {
  nb::gil_scoped_release release;
  return simulation.run([&](const Progress& p) {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return report.is_none() || nb::cast<bool>(report(p.events, p.messages, p.now));
  });
}

nb::dict links(const Simulation& s) {
  const auto all = s.network().link_statistics();
  nb::dict out;
  out["bytes"] = column<std::int64_t>(all, [](const auto& l) { return l.bytes; });
  std::vector<TimeSum> busy;
  for (const LinkStatistics& l : all) busy.push_back(l.busy);
  out["busy"] = sums_to_array(busy);
  out["stalled"] = column<std::int64_t>(all, [](const auto& l) { return l.stalled; });
  out["peak_waiting"] = column<std::int64_t>(all, [](const auto& l) { return l.peak_waiting; });
  return out;
}

nb::dict buffers(const Simulation& s) {
  const auto all = s.network().buffer_statistics();
  nb::dict out;
  out["link"] = column<std::int32_t>(all, [](const auto& b) { return b.link; });
  out["vc"] = column<std::int32_t>(all, [](const auto& b) { return b.vc; });
  out["capacity"] = column<std::int64_t>(all, [](const auto& b) { return b.capacity; });
  out["peak"] = column<std::int64_t>(all, [](const auto& b) { return b.peak; });
  out["refused"] = column<std::int64_t>(all, [](const auto& b) { return b.refused; });
  return out;
}

nb::dict messages(const JobStatistics& s) {
  nb::dict out;
  const auto& all = s.records;
  out["source"] = column<std::int32_t>(all, [](const auto& r) { return r.from; });
  out["target"] = column<std::int32_t>(all, [](const auto& r) { return r.to; });
  out["bytes"] = column<std::int64_t>(all, [](const auto& r) { return r.bytes; });
  out["sent"] = column<std::int64_t>(all, [](const auto& r) { return r.sent; });
  out["delivered"] = column<std::int64_t>(all, [](const auto& r) { return r.delivered; });
  out["routers"] = column<float>(all, [](const auto& r) { return r.routers; });
  return out;
}

nb::dict histogram(const JobStatistics& s) {
  std::vector<std::int64_t> edges, counts;
  for (std::size_t bin = 0; bin < LatencyHistogram::num_bins; ++bin)
    if (s.latencies.counts()[bin] > 0) {
      edges.push_back(LatencyHistogram::edge(bin));
      counts.push_back(s.latencies.counts()[bin]);
    }
  nb::dict out;
  out["latency"] = to_array(std::move(edges));
  out["count"] = to_array(std::move(counts));
  return out;
}

nb::dict job(const Simulation& simulation, int number) {
  const JobStatistics& s = simulation.world().statistics(number);
  nb::dict out;
  out["messages"] = s.messages;
  out["control_messages"] = s.control_messages;
  out["bytes"] = s.bytes;
  out["packets"] = s.packets;
  out["packet_hops"] = s.routers;
  out["latency_sum"] = to_int(s.latency_sum);
  out["latency_max"] = s.latency_max;
  out["first_sent"] = s.messages == 0 ? 0 : s.first_sent;
  out["last_delivered"] = s.last_delivered;
  const Window steady = s.steady();
  out["window_begin"] = steady.begin;
  out["window_end"] = steady.end;
  out["window_bytes"] = steady.bytes;
  out["first_done"] = s.first_done;
  out["curve_width"] = s.curve.width();
  out["curve_bytes"] = to_array(std::vector<std::int64_t>(s.curve.bytes()));
  out["phases"] = s.phases;
  out["mark_rank"] = column<std::int64_t>(s.marks, [](const auto& p) { return p.rank; });
  out["mark_phase"] = column<std::int64_t>(s.marks, [](const auto& p) { return p.phase; });
  out["mark_begin"] = column<std::int64_t>(s.marks, [](const auto& p) { return p.begin; });
  out["finished"] = to_array(simulation.world().finish_times(number));
  return out;
}

// Rows of times by category, one behind the other.
template <class T, class Row>
std::vector<T> category_rows(std::size_t count, std::size_t categories, Row row) {
  std::vector<T> all;
  all.reserve(count * categories);
  for (std::size_t i = 0; i < count; ++i) all.insert(all.end(), row(i), row(i) + categories);
  return all;
}

nb::dict critical_path(const Simulation& simulation) {
  const CriticalPath path = find_critical_path(*simulation.explainer());
  const auto& all = path.stretches;
  nb::dict out;
  out["begin"] = column<std::int64_t>(all, [](const auto& s) { return s.begin; });
  out["end"] = column<std::int64_t>(all, [](const auto& s) { return s.end; });
  out["rank"] = column<std::int32_t>(all, [](const auto& s) { return s.rank; });
  out["to"] = column<std::int32_t>(all, [](const auto& s) { return s.to; });
  out["category"] = column<std::int32_t>(all, [](const auto& s) { return s.category; });
  out["link"] = column<std::int32_t>(all, [](const auto& s) { return s.link; });
  out["full"] = column<std::int32_t>(all, [](const auto& s) { return s.full; });
  out["scope"] = column<std::int64_t>(all, [](const auto& s) { return std::int64_t{s.scope}; });
  out["works"] = to_array(std::vector<std::int64_t>(path.works.begin(), path.works.end()));
  out["gaps"] = path.gaps;
  return out;
}

nb::object explanation(const Simulation& simulation) {
  const Explainer* explainer = simulation.explainer();
  if (explainer == nullptr) return nb::none();
  const CauseLog& log = explainer->log();
  const std::size_t categories = explainer->categories().count();
  nb::dict out;
  out["categories"] = explainer->categories().names();
  const auto of_rank = [&](std::size_t rank) {
    return explainer->of_rank(static_cast<std::int32_t>(rank));
  };
  const auto of_scope = [&](std::size_t scope) { return explainer->of_scope(scope); };
  out["by_rank"] =
      to_array(category_rows<Time>(log.timelines.size(), categories, of_rank), categories);
  out["by_scope"] =
      sums_to_array(category_rows<TimeSum>(log.scopes.size(), categories, of_scope), categories);
  nb::list scopes;
  for (const Scope& s : log.scopes)
    scopes.append(nb::make_tuple(s.job, s.phase, s.communicator, s.function));
  out["scopes"] = scopes;
  out["path"] = explainer->keeps_path() ? nb::object(critical_path(simulation)) : nb::none();
  return out;
}

nb::tuple samples(const Simulation& simulation) {
  const auto& all = simulation.samples();
  std::vector<std::int64_t> waiting;
  for (const Sample& s : all) waiting.insert(waiting.end(), s.waiting.begin(), s.waiting.end());
  return nb::make_tuple(column<std::int64_t>(all, [](const auto& s) { return s.time; }),
                        to_array(std::move(waiting), simulation.machine().classes.size()));
}

nb::dict event_log(const Simulation& simulation) {
  const auto& all = simulation.log().entries;
  nb::dict out;
  out["time"] = column<std::int64_t>(all, [](const auto& e) { return e.time; });
  out["link"] = column<std::int32_t>(all, [](const auto& e) { return e.link; });
  out["vc"] = column<std::int32_t>(all, [](const auto& e) { return e.vc; });
  out["source"] = column<std::int32_t>(all, [](const auto& e) { return e.packet.source; });
  out["packet"] = column<std::uint32_t>(all, [](const auto& e) { return e.packet.number; });
  return out;
}

}  // namespace

void bind_simulate(nb::module_& m) {
  bind_engine_options(m);
  nb::class_<Simulation>(m, "Simulation")
      .def(
          "__init__",
          [](Simulation* s, std::shared_ptr<Machine> machine, const SimulationOptions& options) {
            new (s) Simulation(std::move(machine), options);
          },
          "machine"_a, "options"_a)
      .def(
          "add",
          [](Simulation& s, std::vector<std::int32_t> nodes, const Runnable& program,
             bool background, bool record_messages) {
            return s.add({std::move(nodes), program.program, background, record_messages, nullptr});
          },
          "nodes"_a, "program"_a, "background"_a, "record_messages"_a)
      .def("run", &run, "report"_a.none())
      .def_prop_ro("num_events", &Simulation::num_events)
      .def_prop_ro("end", &Simulation::end)
      .def_prop_ro("digest", [](const Simulation& s) { return s.log().digest; })
      .def("job", &job, "number"_a)
      .def("messages",
           [](const Simulation& s, int number) { return messages(s.world().statistics(number)); })
      .def("latencies",
           [](const Simulation& s, int number) { return histogram(s.world().statistics(number)); })
      .def("links", &links)
      .def("explanation", &explanation)
      .def("causes", &causes, "most"_a)
      .def("acts", &acts)
      .def("kinds_by_interval", &kinds_by_interval, "length"_a, "bins"_a)
      .def("buffers", &buffers)
      .def("samples", &samples)
      .def("log", &event_log);
}
