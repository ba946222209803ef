#pragma once

// hypre's numbers for its methods, under names: the manual lists them beside each
// HYPRE_BoomerAMGSet.
namespace odonata::amg::hypre {

enum Coarsening { cljp = 0, ruge_stueben = 3, falgout = 6, pmis = 8, hmis = 10, cgc = 21 };

enum Interpolation {
  classical = 0,
  direct = 3,
  multipass = 4,
  extended_plus_i = 6,
  standard = 8,
  ff1 = 13,
  extended = 14
};

// The interpolation of levels that are coarsened aggressively, in two stages or by multipass.
enum AggressiveInterpolation {
  two_stage_extended_plus_i = 1,
  two_stage_standard = 2,
  two_stage_extended = 3,
  aggressive_multipass = 4
};

enum Relaxation {
  jacobi = 0,
  forward_gauss_seidel = 3,
  backward_gauss_seidel = 4,
  symmetric_gauss_seidel = 6,
  l1_symmetric_gauss_seidel = 8,
  gaussian_elimination = 9,
  l1_forward_gauss_seidel = 13,
  l1_backward_gauss_seidel = 14,
  l1_jacobi = 18
};

// The order of the rows in a sweep; C/F: the coarse points and then the fine ones on the way down.
enum RelaxationOrder { lexicographic = 0, cf = 1 };

// The places of a cycle that have a relaxation of their own.
enum Sweep { going_down = 1, going_up = 2, on_coarsest = 3 };

}  // namespace odonata::amg::hypre
