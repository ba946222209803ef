// Constructors of datatypes, as in MPI_Type_*. Counts and displacements are in elements; names with
// an h have displacements in bytes. All throw Error for arguments that MPI forbids.
#pragma once

#include <span>

#include "preload/libmpi/core/datatypes/datatype.hpp"

namespace odonata::libmpi {

using Integers = std::span<const std::int64_t>;

/// The form of the constructor that was called; MPI_Type_get_contents depends on it.
enum class Form : std::uint8_t { normal, large };

enum class ArrayOrder : std::uint8_t { c, fortran };
enum class Distribution : std::uint8_t { none, block, cyclic };
/// The distribution argument that MPI_DISTRIBUTE_DFLT_DARG stands for.
inline constexpr std::int64_t default_argument = -1;

TypeRef duplicate(const TypeRef& old);
TypeRef contiguous(std::int64_t count, const TypeRef& old, Form form = Form::normal);
TypeRef vector(std::int64_t count, std::int64_t block, std::int64_t stride, const TypeRef& old,
               Form form = Form::normal);
TypeRef hvector(std::int64_t count, std::int64_t block, std::int64_t stride, const TypeRef& old,
                Form form = Form::normal);
TypeRef indexed(Integers blocks, Integers displacements, const TypeRef& old,
                Form form = Form::normal);
TypeRef hindexed(Integers blocks, Integers displacements, const TypeRef& old,
                 Form form = Form::normal);
TypeRef indexed_block(std::int64_t block, Integers displacements, const TypeRef& old,
                      Form form = Form::normal);
TypeRef hindexed_block(std::int64_t block, Integers displacements, const TypeRef& old,
                       Form form = Form::normal);
TypeRef structure(Integers blocks, Integers displacements, std::span<const TypeRef> types,
                  Form form = Form::normal);
TypeRef resized(const TypeRef& old, std::int64_t lb, std::int64_t extent, Form form = Form::normal);
TypeRef subarray(Integers sizes, Integers subsizes, Integers starts, ArrayOrder order,
                 const TypeRef& old, Form form = Form::normal);

/// One process's part of a distributed array.
struct DistributedArray {
  std::int64_t size = 1, rank = 0;  // of the processes
  Integers sizes;  // of the array
  std::span<const Distribution> distributions;
  Integers arguments;
  Integers processes;
  ArrayOrder order = ArrayOrder::c;
};
TypeRef darray(const DistributedArray& array, const TypeRef& old, Form form = Form::normal);

/// Fortran's types by decimal precision and exponent range; a negative value matches any.
TypeRef f90_real(std::int64_t precision, std::int64_t range);
TypeRef f90_complex(std::int64_t precision, std::int64_t range);
TypeRef f90_integer(std::int64_t range);

enum class TypeClass : std::uint8_t { integer, real, complex, logical };
/// Fortran's type by class and size in bytes.
NamedType match_size(TypeClass type_class, std::int64_t bytes);

}  // namespace odonata::libmpi
