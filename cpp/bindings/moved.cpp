// Recorded runs with later messages.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "odonata/simulate/moved.hpp"

using namespace odonata;
using namespace nb::literals;

namespace {

template <class T>
using Values = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Values<T> values_of(const nb::dict& columns, const char* name) {
  return nb::cast<Values<T>>(columns[name]);
}

ActList acts_of(const nb::dict& columns) {
  const auto kind = values_of<std::uint8_t>(columns, "kind");
  const auto value = values_of<std::int64_t>(columns, "value");
  const auto rank = values_of<std::int32_t>(columns, "rank");
  const auto peer = values_of<std::int32_t>(columns, "peer");
  const auto tag = values_of<std::int32_t>(columns, "tag");
  const auto context = values_of<std::int32_t>(columns, "context");
  ActList acts;
  for (std::size_t i = 0; i < kind.size(); ++i)
    acts.add({static_cast<Act::Kind>(kind(i)), rank(i), value(i), peer(i), tag(i), context(i)});
  return acts;
}

LongList<Flight> flights_of(const nb::dict& columns) {
  const auto act = values_of<std::uint32_t>(columns, "act");
  const auto leg = values_of<std::uint8_t>(columns, "leg");
  const auto handed = values_of<std::int64_t>(columns, "handed");
  const auto end = values_of<std::int64_t>(columns, "end");
  const auto left = values_of<std::int64_t>(columns, "left");
  LongList<Flight> flights;
  for (std::size_t i = 0; i < act.size(); ++i)
    flights.push_back({act(i), static_cast<Flight::Leg>(leg(i)), handed(i), end(i), left(i)});
  return flights;
}

}  // namespace

void bind_moved(nb::module_& m) {
  nb::class_<MovedRun>(m, "MovedRun")
      .def(
          "__init__",
          [](MovedRun* run, std::shared_ptr<Machine> machine, const MpiOptions& mpi,
             const EngineOptions& engine, std::vector<std::int32_t> nodes, const nb::dict& acts,
             const nb::dict& flights) {
            const ActRecord record{acts_of(acts), flights_of(flights)};
            new (run) MovedRun(std::move(machine), mpi, engine, std::move(nodes), record);
          },
          "machine"_a, "mpi"_a, "engine"_a, "nodes"_a, "acts"_a, "flights"_a)
      .def(
          "ends", [](const MovedRun& run, std::int64_t later) { return to_array(run.ends(later)); },
          "later"_a);
}
