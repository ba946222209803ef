// odonata._core: allocations, mappings and distances.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "odonata/placement/allocation.hpp"
#include "odonata/placement/busy.hpp"
#include "odonata/placement/distance.hpp"
#include "odonata/placement/mapping.hpp"
#include "odonata/placement/spread.hpp"
#include "odonata/random/draws.hpp"
#include "odonata/units/errors.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

using Ints = std::vector<std::int32_t>;

}  // namespace

void bind_placement(nb::module_& m) {
  nb::class_<FreeNodes>(m, "FreeNodes")
      .def(nb::init<const Machine&, std::uint64_t>(), "machine"_a, "seed"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("count", &FreeNodes::count)
      .def(
          "take",
          [](FreeNodes& nodes, const std::string& strategy, int count, int first, int job) {
            return to_array(nodes.take(strategy_named(strategy), count, first, job));
          },
          "strategy"_a, "count"_a, "first"_a, "job"_a)
      .def("take_these", [](FreeNodes& nodes, const Ints& given) { nodes.take(given); }, "nodes"_a);
  m.def(
      "map_ranks",
      [](const Ints& nodes, int ranks, int ranks_per_node, const std::string& order,
         std::uint64_t seed, int job) {
        return to_array(map_ranks(nodes, ranks, ranks_per_node, order_named(order), seed, job));
      },
      "nodes"_a, "ranks"_a, "ranks_per_node"_a, "order"_a, "seed"_a, "job"_a);
  m.def(
      "draw_below",
      [](std::uint64_t seed, std::uint64_t job, std::uint64_t i, std::uint32_t count) {
        if (count == 0) throw UserError("draw: nothing to choose from");
        return Draws(seed, Purpose::allocation, job).below(i, count);
      },
      "seed"_a, "job"_a, "i"_a, "count"_a, "Draw i of the allocation of a job: 0 to count - 1.");
  m.def("spans_of", &spans_of, "numbers"_a, "count"_a);
  m.def("spread", &spread, "numbers"_a, "count"_a, "span"_a, "seed"_a, "job"_a);
  m.def("busy_jobs", &busy_jobs, "free"_a, "num_nodes"_a, "busy"_a, "seed"_a);
  m.def(
      "count_distances",
      [](const Machine& machine, const Routing& routing, const Ints& nodes) {
        return to_array(count_distances(machine, routing, nodes));
      },
      "machine"_a, "routing"_a, "nodes"_a);
}
