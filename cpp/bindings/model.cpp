// odonata._core: the decision to redistribute a level of algebraic multigrid.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "odonata/model/redistribution.hpp"

using namespace nb::literals;
using namespace odonata::model;

namespace {

void bind_given(nb::module_& m) {
  nb::class_<MessageCosts>(m, "MessageCosts")
      .def(
          "__init__",
          [](MessageCosts* c, double alpha, double far, double beta, double contention,
             double tasks, bool alpha_shared, bool far_shared) {
            new (c) MessageCosts{alpha, far, beta, contention, tasks, alpha_shared, far_shared};
          },
          "alpha"_a, "far"_a, "beta"_a, "contention"_a, "tasks"_a, "alpha_shared"_a, "far_shared"_a)
      .def_ro("alpha", &MessageCosts::alpha)
      .def_ro("far", &MessageCosts::far)
      .def_ro("beta", &MessageCosts::beta)
      .def_ro("contention", &MessageCosts::contention)
      .def_ro("tasks", &MessageCosts::tasks)
      .def_ro("alpha_shared", &MessageCosts::alpha_shared)
      .def_ro("far_shared", &MessageCosts::far_shared);
  nb::class_<LevelWork>(m, "LevelWork")
      .def(
          "__init__",
          [](LevelWork* w, double ranks, double rows, double row_nonzeros, double sends,
             double values_sent, double active_ranks, double flop_seconds) {
            new (w) LevelWork{ranks,       rows,         row_nonzeros, sends,
                              values_sent, active_ranks, flop_seconds};
          },
          "ranks"_a, "rows"_a, "row_nonzeros"_a, "sends"_a, "values_sent"_a, "active_ranks"_a,
          "flop_seconds"_a);
  nb::class_<RedistributionRules>(m, "RedistributionRules")
      .def(
          "__init__",
          [](RedistributionRules* r, bool exhaustive, double least_gain, double cache_bytes,
             int exchanges) {
            new (r) RedistributionRules{.exhaustive = exhaustive,
                                        .least_gain = least_gain,
                                        .cache_bytes = cache_bytes,
                                        .exchanges = exchanges};
          },
          "exhaustive"_a, "least_gain"_a, "cache_bytes"_a, "exchanges"_a);
}

}  // namespace

void bind_model(nb::module_& m) {
  bind_given(m);
  nb::class_<Candidate>(m, "Candidate")
      .def_ro("groups", &Candidate::groups)
      .def_ro("seconds", &Candidate::seconds)
      .def_ro("too_large", &Candidate::too_large);
  nb::class_<LevelDecision>(m, "LevelDecision")
      .def_ro("no_switch_seconds", &LevelDecision::no_switch_seconds)
      .def_ro("sum_seconds", &LevelDecision::sum_seconds)
      .def_ro("candidates", &LevelDecision::candidates)
      .def_ro("best", &LevelDecision::best)
      .def_ro("gain", &LevelDecision::gain)
      .def_prop_ro("switches", &LevelDecision::switches);
  nb::class_<Redistribution>(m, "Redistribution")
      .def(nb::init<const MessageCosts&, const RedistributionRules&>(), "costs"_a, "rules"_a)
      .def("decide", &Redistribution::decide, "level"_a, "coarsest"_a = false);
  m.def("explain", &explain, "decision"_a, "rules"_a);
}
