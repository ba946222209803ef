#pragma once

#include <HYPRE_utilities.h>
#include <mpi.h>

#include <vector>

namespace odonata::amg {

// Gathers values of all ranks of a communicator on its first rank, and scatters them again, along a
// binomial tree. MPI_Gatherv and MPI_Scatterv may send one message for each rank, which its first
// rank takes one after the other.
//
//         0            The ranks below a rank are adjacent, so that their values are one piece:
//      /  |  \         values of 4, 5, 6 and 7 pass through 4.
//     1   2   4
//         |   | \      .
//         3   5  6
//                |
//                7
class Tree {
 public:
  Tree() = default;
  // Collective; `own` is the number of values of this rank.
  Tree(MPI_Comm comm, int own);

  // `all` is null but on the first rank. Collective.
  void gather(const HYPRE_Complex* own, HYPRE_Complex* all);
  void scatter(const HYPRE_Complex* all, HYPRE_Complex* own);

 private:
  struct Child {
    int rank, first, size;  // its piece within this rank's piece
  };
  bool is_first() const { return parent_ == MPI_PROC_NULL; }
  bool passes_on() const { return is_first() || !children_.empty(); }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int parent_ = MPI_PROC_NULL;
  int own_ = 0, size_ = 0;      // values of this rank, and of it and all ranks below it
  std::vector<Child> children_;  // the nearest first
  std::vector<HYPRE_Complex> piece_;  // of a rank between the first and the leaves
  std::vector<MPI_Request> requests_;
};

}  // namespace odonata::amg
