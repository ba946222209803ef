// odonata._core: algorithms, traffic, and the Rank of Python rank programs.
#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "generator.hpp"
#include "odonata/workload/fft/fft.hpp"
#include "odonata/workload/halo/halo.hpp"
#include "odonata/workload/program.hpp"
#include "odonata/workload/sedov/sedov.hpp"
#include "odonata/workload/selection.hpp"
#include "odonata/workload/traffic.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

Waiting wait_for(std::vector<Request> requests) {
  return {std::move(requests), -1, nullptr, {}, {}};
}

Span whole(Bytes bytes) { return {0, 0, bytes}; }

void bind_rank(nb::module_& m) {
  nb::class_<Waiting>(m, "Waiting");
  nb::class_<Request>(m, "Request");
  nb::class_<Status>(m, "Status")
      .def_ro("source", &Status::source)
      .def_ro("tag", &Status::tag)
      .def_ro("bytes", &Status::bytes);
  nb::class_<Rank>(m, "Rank")
      .def_prop_ro("index", &Rank::index, "Number of this rank in its communicator.")
      .def_prop_ro("size", &Rank::size, "Ranks of the communicator.")
      .def_prop_ro("now", &Rank::now, "Simulated time [ps].")
      .def("node_of", &Rank::node_of, "rank"_a)
      .def("router_of", &Rank::router_of, "rank"_a)
      .def("group_of", &Rank::group_of, "rank"_a)
      .def("phase", &Rank::phase, "name"_a)
      .def("on", nb::overload_cast<const std::vector<int>&, int>(&Rank::on, nb::const_), "ranks"_a,
           "context"_a)
      .def(
          "isend",
          [](Rank& r, int to, Bytes bytes, int tag) { return r.isend(to, whole(bytes), tag); },
          "to"_a, "bytes"_a, "tag"_a)
      .def(
          "irecv",
          [](Rank& r, int source, Bytes bytes, int tag) {
            return r.irecv(source, whole(bytes), tag);
          },
          "source"_a, "bytes"_a, "tag"_a)
      .def(
          "wait",
          [](Rank& r, std::vector<Request> requests) {
            r.look_at(requests.size());
            return wait_for(std::move(requests));
          },
          "requests"_a)
      .def(
          "block_on",
          [](Rank&, std::vector<Request> requests) { return wait_for(std::move(requests)); },
          "requests"_a)
      .def(
          "send_datagram", [](Rank& r, int to, Bytes bytes) { r.send_datagram(to, bytes); }, "to"_a,
          "bytes"_a)
      .def(
          "compute",
          [](Rank& r, Time time) {
            r.occupy(time, Work::compute);
            return Waiting{{}, r.now(), nullptr, {}, {}};
          },
          "time_ps"_a)
      .def(
          "collective",
          [](Rank& r, const std::string& operation, const std::string& name, Bytes bytes,
             int root) { return Waiting{{}, -1, &algorithm(operation, name), {bytes, root}, r}; },
          "operation"_a, "algorithm"_a, "bytes"_a, "root"_a);
}

HaloOptions halo_options(const std::vector<std::int32_t>& sides,
                         const std::vector<Bytes>& face_bytes, const std::vector<double>& pack,
                         const std::string& distribution, bool periodic, int repetitions,
                         const std::string& name) {
  HaloOptions options{sides, {}, distribution_named(distribution), periodic, repetitions, name};
  for (std::size_t d = 0; d < face_bytes.size(); ++d)
    options.faces.push_back({face_bytes[d], {pack.at(d)}});
  return options;
}

void bind_halo(nb::module_& m) {
  m.def(
      "halo",
      [](const Machine& machine, const std::vector<std::int32_t>& nodes,
         const std::vector<std::int32_t>& sides, const std::vector<Bytes>& face_bytes,
         const std::vector<double>& pack, const std::string& distribution, bool periodic,
         int repetitions) -> Runnable {
        return {halo(halo_options(sides, face_bytes, pack, distribution, periodic, repetitions,
                                  "halo/" + distribution),
                     machine, nodes)};
      },
      "machine"_a, "nodes"_a, "sides"_a, "face_bytes"_a, "pack"_a, "distribution"_a, "periodic"_a,
      "repetitions"_a);
  m.def(
      "halo_messages",
      [](const std::vector<std::int32_t>& sides, bool periodic) {
        return messages_of(ProcessGrid(sides), periodic);
      },
      "sides"_a, "periodic"_a, "Messages of one repetition, all ranks together.");
  m.def(
      "distribute",
      [](const Machine& machine, const std::vector<std::int32_t>& nodes,
         const std::vector<std::int32_t>& sides, const std::string& distribution) {
        return to_array(
            distribute(distribution_named(distribution), ProcessGrid(sides), machine, nodes));
      },
      "machine"_a, "nodes"_a, "sides"_a, "distribution"_a,
      "Rank at each place of a process grid, the first coordinate fastest.");
}

void bind_applications(nb::module_& m) {
  m.def(
      "sedov",
      [](const Machine& machine, const std::vector<std::int32_t>& nodes,
         const std::vector<std::int32_t>& sides, const std::vector<Bytes>& face_bytes,
         const std::vector<double>& pack, const std::string& distribution, bool periodic, int steps,
         int exchanges, Time compute, const std::string& allreduce) -> Runnable {
        return {sedov({halo_options(sides, face_bytes, pack, distribution, periodic, steps,
                                    "sedov/" + allreduce),
                       exchanges, compute, allreduce},
                      machine, nodes)};
      },
      "machine"_a, "nodes"_a, "sides"_a, "face_bytes"_a, "pack"_a, "distribution"_a, "periodic"_a,
      "steps"_a, "exchanges"_a, "compute_ps"_a, "allreduce"_a);
  m.def(
      "fft",
      [](int ranks, int side, const std::array<Bytes, 3>& blocks,
         const std::array<std::string, 3>& alltoalls, const std::array<Time, 3>& transform,
         Time multiply, double pack, int repetitions, const std::string& name) -> Runnable {
        FftOptions options{side, {}, transform, multiply, {pack}, repetitions, name};
        for (std::size_t i = 0; i < blocks.size(); ++i)
          options.transposes[i] = {blocks[i], alltoalls[i]};
        return {fft(options, ranks)};
      },
      "ranks"_a, "side"_a, "blocks"_a, "alltoalls"_a, "transform_ps"_a, "multiply_ps"_a, "pack"_a,
      "repetitions"_a, "name"_a);
}

void bind_programs(nb::module_& m) {
  nb::class_<Runnable>(m, "Program");
  m.def(
      "repeat_algorithm",
      [](const std::string& operation, const std::string& name, Bytes bytes, int root,
         int repetitions) -> Runnable {
        return {repeat(algorithm(operation, name), {bytes, root}, repetitions)};
      },
      "operation"_a, "algorithm"_a, "bytes"_a, "root"_a, "repetitions"_a);
  bind_halo(m);
  bind_applications(m);
  m.def("python_program", &python_program, "function"_a);
  nb::class_<PatternOptions>(m, "PatternOptions")
      .def(nb::init<>())
      .def_rw("name", &PatternOptions::name)
      .def_rw("shift", &PatternOptions::shift)
      .def_rw("hot_fraction", &PatternOptions::hot_fraction)
      .def_rw("targets", &PatternOptions::targets);
  m.def(
      "traffic",
      [](const Machine& machine, const std::vector<std::int32_t>& nodes,
         const PatternOptions& options, double load, Bytes bytes, std::int64_t messages_per_rank,
         bool periodic, std::uint64_t seed) -> Runnable {
        const Traffic what{make_pattern(options, machine, nodes, seed), load, bytes,
                           messages_per_rank, periodic};
        return {[what](Rank rank) { return traffic(std::move(rank), what); }};
      },
      "machine"_a, "nodes"_a, "pattern"_a, "load"_a, "bytes"_a, "messages_per_rank"_a, "periodic"_a,
      "seed"_a);
}

}  // namespace

void bind_workload(nb::module_& m) {
  bind_rank(m);
  bind_programs(m);
  m.def("algorithms", [] {
    nb::list out;
    for (const auto* table : {&algorithms(), &point_to_point_patterns()})
      for (const Algorithm& a : *table) out.append(nb::make_tuple(a.operation, a.name, a.summary));
    return out;
  });
  m.def(
      "check_algorithm",
      [](const std::string& operation, const std::string& name) {
        static_cast<void>(algorithm(operation, name));
      },
      "operation"_a, "algorithm"_a, "Raise UserError unless there is this algorithm.");
  m.def(
      "sent_by",
      [](const std::string& operation, const std::string& name, int ranks, Bytes bytes, int root) {
        const Sent sent = algorithm(operation, name).sent(ranks, bytes, root);
        const Total total = sent.bytes == Sent::unknown ? sent.about : sent.bytes;
        return nb::make_tuple(to_int(sent.messages), to_int(total));
      },
      "operation"_a, "algorithm"_a, "ranks"_a, "bytes"_a, "root"_a,
      "Messages of one run and their bytes, all ranks together.");
  nb::class_<Selection>(m, "Selection")
      .def(nb::init<>())
      .def(
          "choose_as",
          [](Selection& s, const std::string& name) { s.library = library_named(name); },
          "library"_a)
      .def_rw("allgather_doubling_total", &Selection::allgather_doubling_total)
      .def_rw("allgather_bruck_total", &Selection::allgather_bruck_total)
      .def_rw("alltoall_bruck_block", &Selection::alltoall_bruck_block)
      .def_rw("alltoall_bruck_ranks", &Selection::alltoall_bruck_ranks)
      .def_rw("alltoall_scattered_block", &Selection::alltoall_scattered_block)
      .def_rw("allreduce_doubling", &Selection::allreduce_doubling)
      .def_rw("allreduce_value", &Selection::allreduce_value)
      .def_rw("reduce_binomial", &Selection::reduce_binomial)
      .def_rw("reduce_scatter_halving_total", &Selection::reduce_scatter_halving_total)
      .def_rw("bcast_binomial", &Selection::bcast_binomial)
      .def_rw("bcast_binomial_ranks", &Selection::bcast_binomial_ranks);
  m.def(
      "select_algorithm",
      [](const Selection& thresholds, const std::string& operation, int ranks, Bytes bytes) {
        return odonata::select(thresholds, collective_of(operation), ranks, {bytes});
      },
      "thresholds"_a, "operation"_a, "ranks"_a, "bytes"_a);
}
