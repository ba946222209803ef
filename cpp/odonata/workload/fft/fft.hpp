// A Poisson solver by FFT on a cube of points: its transposes, and the work between them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "odonata/mpi/rank.hpp"

namespace odonata {

/// Three kinds of communicators, among whose ranks the solver moves its data. With m^3 ranks, for
/// rank r:
///
///     pillar  m ranks, from bricks to pillars along x:    m floor(r/m) + i
///     slab    m^2 ranks, from pillars along x to pillars along y: m^2 floor(r/m^2) + i
///     stack   m ranks, from pillars along y to pillars along z:   r mod m^2 + m^2 i
enum class Transpose : std::uint8_t { pillar, slab, stack };

/// A transpose: the alltoall of one communicator.
struct TransposeOptions {
  Bytes block = 0;        // [B] from each rank to each
  std::string algorithm;  // of the alltoall
};

struct FftOptions {
  int side = 1;  // m; m^3 ranks
  std::array<TransposeOptions, 3> transposes;  // pillar, slab, stack
  std::array<Time, 3> transform{};  // [ps] a rank's FFTs along x, y, z, in one direction
  Time multiply = 0;  // [ps] a rank's product with the transform of Green's function
  PerByte pack;  // [ps/B] copying into the buffer of an alltoall, and out of it
  int repetitions = 1;
  std::string name = "fft";  // of the phases
};

/// The ranks of a rank's communicator.
[[nodiscard]] std::vector<int> transpose_ranks(Transpose kind, int side, int rank);

/// The rank program. A solve is a way there and the same way back:
///
///     pillar -> FFT x -> slab -> FFT y -> stack -> FFT z -> multiply
///            <- FFT x <- slab <- FFT y <- stack <- FFT z <-
///
/// Each solve is a phase. Throws UserError if there are not m^3 ranks, or for an algorithm that is
/// unknown.
[[nodiscard]] Program fft(const FftOptions& options, int ranks);

}  // namespace odonata
