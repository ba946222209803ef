// The registry of machine families.
#pragma once

#include <string>
#include <vector>

#include "odonata/machine/families/declare.hpp"

namespace odonata {

/// All families, in the order in which they are shown.
[[nodiscard]] const std::vector<Family>& families();

/// The family of that name; throws UserError of an unknown name.
[[nodiscard]] const Family& family_named(const std::string& name);

/// The machine of a family that has these values and classes of links, first the family's own.
/// Throws UserError if there is no such family, or its builder refuses a value.
[[nodiscard]] Machine make_machine(const std::string& family, const Basics& basics,
                                   const Values& values, const std::vector<LinkClass>& classes);

}  // namespace odonata
