#pragma once

#include <istream>
#include <string>

#include "amg/redistribute/odonata_amg.h"

namespace odonata::amg {

// Reads the model's numbers from a machine file of Odonata: family, [model] alpha, beta, gamma and
// t, [node] cache. The other keys and the rest of TOML are passed over: `odonata machines show`
// checks files. A key has its line to itself, with a quantity in quotes, or `{ value = ... }`, or a
// list of them. Throws UsageError with file and line.
void read_machine(std::istream& in, const std::string& name, odonata_amg_model& model);

}  // namespace odonata::amg
