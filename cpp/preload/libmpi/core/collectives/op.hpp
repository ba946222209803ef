// Operations of reductions.
#pragma once

#include <functional>
#include <memory>

#include "preload/libmpi/core/collectives/named_ops.hpp"
#include "preload/libmpi/core/datatypes/datatype.hpp"

namespace odonata::libmpi {

class Op;
using OpRef = std::shared_ptr<const Op>;

class Op {
 public:
  /// inout = in op inout, element by element.
  using UserFunction =
      std::function<void(const void* in, void* inout, std::int64_t count, const Datatype& type)>;

  explicit Op(NamedOp named) : named_(named) {}
  Op(UserFunction function, bool commutative)
      : function_(std::move(function)), commutative_(commutative) {}

  [[nodiscard]] bool commutative() const { return commutative_; }
  [[nodiscard]] bool predefined() const { return !function_; }
  /// The name of a predefined operation.
  [[nodiscard]] NamedOp named() const { return named_; }

  /// Throws Error if the operation is not defined for the type.
  void check(const Datatype& type) const;
  /// inout = in op inout. Both have the layout of the user's memory: elements at multiples of
  /// extent(), data from true_lb() on.
  void apply(const void* in, void* inout, std::int64_t count, const Datatype& type) const;

 private:
  NamedOp named_{};
  UserFunction function_;
  bool commutative_ = true;
};

/// The operation of a name.
[[nodiscard]] const OpRef& named_op(NamedOp op);
/// The name in MPI, such as "MPI_SUM".
[[nodiscard]] const char* name_of(NamedOp op);

}  // namespace odonata::libmpi
