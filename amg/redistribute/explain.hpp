#pragma once

#include "amg/json.hpp"
#include "amg/redistribute/levels.hpp"

#include <span>

namespace odonata::amg {

// Number of the level that is switched, or the number of all levels.
std::size_t switched_level(std::span<const LevelReport> reports);

// The decisions as a table for people.
void write_table(std::ostream& out, std::span<const LevelReport> reports);

// The decisions as members of an object that is open: level, groups, gain and levels, as
// `odonata predict amg --redistribute --json` has them, with the counts that decided.
void write_decisions(JsonWriter& json, std::span<const LevelReport> reports);

}  // namespace odonata::amg
