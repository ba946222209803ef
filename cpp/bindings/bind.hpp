// What each source of the extension module adds to it.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

// Weak: a word whose bindings are not in this build is left out.
[[gnu::weak]] void bind_machine(nb::module_& m);
[[gnu::weak]] void bind_workload(nb::module_& m);
[[gnu::weak]] void bind_simulate(nb::module_& m);
