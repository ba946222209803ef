// The log of causes of an explained run as columns.
#pragma once

#include "bind.hpp"
#include "odonata/simulate/simulation.hpp"

/// Columns of the steps of all ranks, of the crossings that ended waits, and of their ways' pieces;
/// None without a recorder, or if they have more rows than `most`.
nb::object causes(const odonata::Simulation& simulation, std::size_t most);
