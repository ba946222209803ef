// The log of causes of an explained run as columns.
#pragma once

#include "bind.hpp"
#include "odonata/simulate/simulation.hpp"

/// Columns of the steps of all ranks, of the crossings that ended waits, and of their ways' pieces;
/// None without an explainer, or if they have more rows than `most`.
nb::object causes(const odonata::Simulation& simulation, std::size_t most);

/// Columns of the acts of all ranks; None if they were not kept, or are too much.
nb::object acts(const odonata::Simulation& simulation);

/// For each rank and each of `bins` intervals of equal length up to `length`, the kind of time that
/// most of it was: 0 computing, 1 sending, 2 receiving, 3 copying, 4 looking, 5 waiting for a
/// partner, 6 for a message on its way; 255 behind the rank's end. None without an explainer.
nb::object kinds_by_interval(const odonata::Simulation& simulation, std::int64_t length,
                             std::size_t bins);
