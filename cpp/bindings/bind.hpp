// Functions by which the sources of the extension module add their parts.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_machine(nb::module_& m);
void bind_placement(nb::module_& m);
void bind_decide(nb::module_& m);
void bind_workload(nb::module_& m);
void bind_trace(nb::module_& m);
void bind_profile(nb::module_& m);
void bind_interchange(nb::module_& m);
void bind_playback(nb::module_& m);
void bind_live(nb::module_& m);
void bind_model(nb::module_& m);
void bind_measure(nb::module_& m);
void bind_kinds(nb::module_& m);
void bind_simulate(nb::module_& m);
