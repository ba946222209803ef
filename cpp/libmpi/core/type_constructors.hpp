// Datatypes made of others, as MPI_Type_* make them; counts of elements, displacements in bytes
// where the name has an h. Throws Error for arguments that MPI forbids.
#pragma once

#include <span>

#include "libmpi/core/datatype.hpp"

namespace odonata::libmpi {

using Integers = std::span<const std::int64_t>;

/// Which form of a constructor was called: MPI_Type_get_contents wants to know.
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

/// The part of a distributed array that is one process's.
struct DistributedArray {
  std::int64_t size = 1, rank = 0;  // of the processes
  Integers sizes;                   // of the array
  std::span<const Distribution> distributions;
  Integers arguments;
  Integers processes;
  ArrayOrder order = ArrayOrder::c;
};
TypeRef darray(const DistributedArray& array, const TypeRef& old, Form form = Form::normal);

/// Fortran's types of a decimal precision and exponent range; negative where it does not matter.
TypeRef f90_real(std::int64_t precision, std::int64_t range);
TypeRef f90_complex(std::int64_t precision, std::int64_t range);
TypeRef f90_integer(std::int64_t range);

enum class TypeClass : std::uint8_t { integer, real, complex, logical };
/// The type that Fortran names by class and size in bytes.
NamedType match_size(TypeClass type_class, std::int64_t bytes);

}  // namespace odonata::libmpi
