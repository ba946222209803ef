#include "amg/redistribute/tree.hpp"

#include <_hypre_utilities.h>

#include <algorithm>

namespace odonata::amg {

Tree::Tree(MPI_Comm comm, int own) : comm_(comm), own_(own), size_(own) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  int distance = 1;
  for (; distance < ranks && (rank & distance) == 0; distance *= 2) {
    if (rank + distance >= ranks) continue;
    Child child{rank + distance, size_, 0};
    MPI_Recv(&child.size, 1, MPI_INT, child.rank, 0, comm, MPI_STATUS_IGNORE);
    size_ += child.size;
    children_.push_back(child);
  }
  requests_.resize(children_.size());
  if (rank == 0) return;
  parent_ = rank - distance;
  MPI_Send(&size_, 1, MPI_INT, parent_, 0, comm);
  if (!children_.empty()) piece_.resize(std::size_t(size_));
}

void Tree::gather(const HYPRE_Complex* own, HYPRE_Complex* all) {
  HYPRE_Complex* piece = is_first() ? all : piece_.data();
  for (std::size_t i = 0; i < children_.size(); ++i)
    MPI_Irecv(piece + children_[i].first, children_[i].size, HYPRE_MPI_COMPLEX, children_[i].rank,
              0, comm_, &requests_[i]);
  if (passes_on()) std::copy_n(own, own_, piece);
  MPI_Waitall(int(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  if (!is_first()) MPI_Send(passes_on() ? piece : own, size_, HYPRE_MPI_COMPLEX, parent_, 0, comm_);
}

void Tree::scatter(const HYPRE_Complex* all, HYPRE_Complex* own) {
  if (!is_first())
    MPI_Recv(passes_on() ? piece_.data() : own, size_, HYPRE_MPI_COMPLEX, parent_, 0, comm_,
             MPI_STATUS_IGNORE);
  const HYPRE_Complex* piece = is_first() ? all : piece_.data();
  for (std::size_t i = children_.size(); i-- > 0;)  // the child above most ranks first
    MPI_Isend(piece + children_[i].first, children_[i].size, HYPRE_MPI_COMPLEX, children_[i].rank,
              0, comm_, &requests_[i]);
  if (passes_on()) std::copy_n(piece, own_, own);
  MPI_Waitall(int(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

}  // namespace odonata::amg
