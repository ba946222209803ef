#pragma once

#include "amg/redistribute/tree.hpp"

#include <HYPRE_IJ_mv.h>
#include <_hypre_parcsr_mv.h>

#include <vector>

namespace odonata::amg {

// A communicator that is freed with its owner; null on ranks that are not in it.
class Communicator {
 public:
  Communicator() = default;
  explicit Communicator(MPI_Comm comm) : comm_(comm) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  Communicator(Communicator&& other) noexcept : comm_(other.comm_) { other.comm_ = MPI_COMM_NULL; }
  Communicator& operator=(Communicator&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  ~Communicator() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }

  explicit operator bool() const { return comm_ != MPI_COMM_NULL; }
  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// The ranks that have rows of an operator, in groups of adjacent ones. The first rank of a group
// owns its members' rows; ranks without rows are in no group and have nothing to do.
class Groups {
 public:
  // Collective over the operator's communicator; `active` of its ranks have rows.
  Groups(hypre_ParCSRMatrix* A, int groups, int active);
  ~Groups();
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  bool is_owner() const { return bool(owners_); }
  MPI_Comm owners() const { return owners_.get(); }  // null on other ranks

  // On owners the operator of their groups, over the communicator of owners; null elsewhere.
  hypre_ParCSRMatrix* A() const { return gathered_; }
  // Values of the members' rows, such as their functions; empty unless on an owner.
  std::vector<HYPRE_Int> gather(const std::vector<HYPRE_Int>& of_rows) const;

  // From members to their owner and back. `whole` is null unless on an owner.
  void gather(hypre_ParVector* part, hypre_ParVector* whole);
  void scatter(hypre_ParVector* whole, hypre_ParVector* part);

 private:
  void gather_rows(hypre_ParCSRMatrix* A);

  Communicator group_, owners_;
  Tree tree_;              // of the group
  std::vector<int> rows_;  // of each member, on the owner
  int own_rows_ = 0;
  HYPRE_IJMatrix assembled_ = nullptr;
  hypre_ParCSRMatrix* gathered_ = nullptr;
};

}  // namespace odonata::amg
