#include "odonata/trace/functions.hpp"

namespace odonata::trace {

std::span<const std::string_view> function_names() {
  static constexpr std::string_view names[] = {
#define ODONATA_FUNCTION(name) std::string_view("MPI_" #name),
#include "odonata/trace/functions.inc"
#undef ODONATA_FUNCTION
  };
  return names;
}

}  // namespace odonata::trace
