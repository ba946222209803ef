// Construction of a datatype from parts.
#pragma once

#include <string>

#include "preload/libmpi/core/datatypes/datatype.hpp"
#include "preload/libmpi/core/environment/error.hpp"

namespace odonata::libmpi {

class TypeBuilder {
 public:
  /// Adds `count` elements in a row at a displacement.
  void place(const Datatype& old, std::int64_t displacement, std::int64_t count);
  /// Adds rows of `block` elements, `stride` apart.
  void place(const Datatype& old, std::int64_t displacement, std::int64_t block, std::int64_t count,
             std::int64_t stride);
  /// Pads the end as C pads a struct.
  void pad();
  /// Fixes the lower and the upper bound, as MPI_Type_create_resized does.
  void fix(std::int64_t lb, std::int64_t ub);

  [[nodiscard]] TypeRef make(Contents contents, std::optional<NamedType> named = {});

 private:
  void widen(const Bounds& old, std::int64_t first, std::int64_t last);
  void widen_data(const Datatype& old, std::int64_t first, std::int64_t last);

  std::shared_ptr<TypeLayout> layout_ = std::make_shared<TypeLayout>();
  std::shared_ptr<Signature> signature_ = std::make_shared<Signature>();
  Bounds bounds_;
  bool has_lb_ = false, has_ub_ = false, has_data_ = false;
};

}  // namespace odonata::libmpi
