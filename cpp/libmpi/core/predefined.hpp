// The datatypes and operations that MPI names.
//
// A layer of an ABI makes its table of handles from the same lists:
//
//     #define ODONATA_DECLARED_TYPES
//     #define ODONATA_TYPE(name, ...) {NamedType::T_##name, MPI_##name},
//     #define ODONATA_PAIR ODONATA_TYPE
//     #include "libmpi/core/named_types.inc"
#pragma once

#include <cstdint>

namespace odonata::libmpi {

/// NamedType::T_INT is MPI_INT. Synonyms (MPI_LONG_LONG, MPI_C_COMPLEX, ...) have no number of
/// their own.
enum class NamedType : std::uint8_t {
#define ODONATA_TYPE(name, ...) T_##name,
#define ODONATA_PAIR ODONATA_TYPE
#include "libmpi/core/named_types.inc"
#undef ODONATA_PAIR
#undef ODONATA_TYPE
};
inline constexpr int num_named_types = static_cast<int>(NamedType::T_2DOUBLE_COMPLEX) + 1;

/// The operations that MPI names: X(SUM) for MPI_SUM.
// clang-format off
#define ODONATA_NAMED_OPS(X)                                                                       \
  X(MAX) X(MIN) X(SUM) X(PROD) X(LAND) X(BAND) X(LOR) X(BOR) X(LXOR) X(BXOR) X(MINLOC) X(MAXLOC)   \
  X(REPLACE) X(NO_OP)
// clang-format on

/// NamedOp::SUM is MPI_SUM.
enum class NamedOp : std::uint8_t {
#define ODONATA_OP(name) name,
  ODONATA_NAMED_OPS(ODONATA_OP)
#undef ODONATA_OP
};
inline constexpr int num_named_ops = static_cast<int>(NamedOp::NO_OP) + 1;

/// What a basic type is to the operations.
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
