// The operations of reductions that MPI names.
#pragma once

#include <cstdint>

namespace odonata::libmpi {

/// The list of them: X(SUM) for MPI_SUM.
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

}  // namespace odonata::libmpi
