#pragma once

#include "amg/redistribute/levels.hpp"

#include <span>

namespace odonata::amg {

// The decisions of the last setup of a solver of odonata_amg.h; none where that was off.
std::span<const LevelReport> decisions_of(HYPRE_Solver amg);

}  // namespace odonata::amg
