#pragma once

#include "odonata/model/redistribution.hpp"

#include <_hypre_parcsr_mv.h>

#include <optional>
#include <vector>

namespace odonata::amg {

// The time of a flop by level: given, or measured until it rises from one level to the next, for
// then little but the loop is measured.
class FlopTimes {
 public:
  // Seconds on level 0, 1, ...; the last holds beyond. With none they are measured.
  explicit FlopTimes(std::vector<double> given) : given_(std::move(given)) {}

  bool is_measured() const { return given_.empty() && !rose_; }
  double next(double measured);  // [s] of the next level; measured is looked at if is_measured()

 private:
  std::vector<double> given_;
  std::optional<double> last_;
  bool rose_ = false;
  int level_ = 0;
};

// Work that the operator gives to the ranks of its communicator; the same on all of them.
// Collective.
model::LevelWork work_of(hypre_ParCSRMatrix* A, FlopTimes& flops);

}  // namespace odonata::amg
