// The datatypes that MPI names.
//
// A layer of an ABI makes its table of handles from the same list:
//
//     #define ODONATA_DECLARED_TYPES
//     #define ODONATA_TYPE(name, ...) {NamedType::T_##name, MPI_##name},
//     #define ODONATA_PAIR ODONATA_TYPE
//     #include "preload/libmpi/core/datatypes/named_types.inc"
#pragma once

#include <cstdint>

namespace odonata::libmpi {

/// NamedType::T_INT is MPI_INT. Synonyms (MPI_LONG_LONG, MPI_C_COMPLEX, ...) have no number of
/// their own.
enum class NamedType : std::uint8_t {
#define ODONATA_TYPE(name, ...) T_##name,
#define ODONATA_PAIR ODONATA_TYPE
#include "preload/libmpi/core/datatypes/named_types.inc"
#undef ODONATA_PAIR
#undef ODONATA_TYPE
};
inline constexpr int num_named_types = static_cast<int>(NamedType::T_2DOUBLE_COMPLEX) + 1;

/// Kinds of basic types; they decide which reductions are defined.
enum class Kind : std::uint8_t {
  signed_integer,
  unsigned_integer,
  floating,
  complex,
  logical,
  boolean,
  byte,
  character,
  packed,
  marker,  // MPI_LB, MPI_UB
  pair,
};

}  // namespace odonata::libmpi
