#pragma once

#include "document.hpp"

namespace odonata::amg {

// The problem, its times, and its levels or decisions as a table: for people, where the document
// goes into a file.
void write_summary(std::ostream& out, const Options& options, const Report& report);

}  // namespace odonata::amg
