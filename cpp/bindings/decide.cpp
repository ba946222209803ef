// odonata._core: the search for orders of ranks.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "odonata/decide/mapper.hpp"

using namespace nb::literals;
using namespace odonata;

void bind_decide(nb::module_& m) {
  using Ints = std::vector<std::int32_t>;
  nb::class_<Mapper>(m, "Mapper")
      .def(
          "__init__",
          [](Mapper* made, std::shared_ptr<const Machine> machine, const Ints& node_of,
             const Ints& from, const Ints& to, const std::vector<double>& bytes) {
            const auto ranks = static_cast<std::int32_t>(node_of.size());
            new (made)
                Mapper(std::move(machine), node_of, CommunicationMatrix(ranks, from, to, bytes));
          },
          "machine"_a, "node_of"_a, "source"_a, "target"_a, "bytes"_a)
      .def("hop_bytes", &Mapper::hop_bytes, "slots"_a)
      .def("max_link_seconds", &Mapper::max_link_seconds, "slots"_a)
      .def(
          "loads",
          [](const Mapper& mapper, const Ints& slots) { return to_array(mapper.loads(slots)); },
          "slots"_a)
      .def("greedy", &Mapper::greedy, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "improved",
          [](const Mapper& mapper, const std::string& objective, const Ints& slots,
             std::uint64_t seed,
             int rounds) { return mapper.improved(objective, slots, {seed, rounds}); },
          "objective"_a, "slots"_a, "seed"_a, "rounds"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("best", &Mapper::best, "objective"_a, nb::call_guard<nb::gil_scoped_release>());
  m.attr("MOST_EXHAUSTIVE") = most_exhaustive;
}
