// Fortran's types by precision, range or size.
#include "preload/libmpi/core/datatypes/type_builder.hpp"
#include "preload/libmpi/core/datatypes/type_constructors.hpp"

namespace odonata::libmpi {

namespace {

struct Floating {
  std::int64_t precision, range;  // decimal digits and exponent, at most
  NamedType real, complex;
};
constexpr Floating floatings[] = {
    {6, 37, NamedType::T_REAL4, NamedType::T_COMPLEX8},
    {15, 307, NamedType::T_REAL8, NamedType::T_COMPLEX16},
    {18, 4931, NamedType::T_LONG_DOUBLE, NamedType::T_C_LONG_DOUBLE_COMPLEX},
    {33, 4931, NamedType::T_REAL16, NamedType::T_COMPLEX32},
};

struct Whole {
  std::int64_t range;
  NamedType type;
};
constexpr Whole wholes[] = {
    {2, NamedType::T_INTEGER1},  {4, NamedType::T_INTEGER2},   {9, NamedType::T_INTEGER4},
    {18, NamedType::T_INTEGER8}, {38, NamedType::T_INTEGER16},
};

constexpr NamedType integers[] = {NamedType::T_INTEGER1, NamedType::T_INTEGER2,
                                  NamedType::T_INTEGER4, NamedType::T_INTEGER8,
                                  NamedType::T_INTEGER16};
constexpr NamedType reals[] = {NamedType::T_REAL2, NamedType::T_REAL4, NamedType::T_REAL8,
                               NamedType::T_REAL16};
constexpr NamedType complexes[] = {NamedType::T_COMPLEX4, NamedType::T_COMPLEX8,
                                   NamedType::T_COMPLEX16, NamedType::T_COMPLEX32};
constexpr NamedType logicals[] = {NamedType::T_LOGICAL1, NamedType::T_LOGICAL2,
                                  NamedType::T_LOGICAL4, NamedType::T_LOGICAL8,
                                  NamedType::T_LOGICAL16};

std::span<const NamedType> members(TypeClass type_class) {
  switch (type_class) {
    case TypeClass::integer: return integers;
    case TypeClass::real: return reals;
    case TypeClass::complex: return complexes;
    case TypeClass::logical: return logicals;
  }
  return {};
}

const Floating& floating(std::int64_t precision, std::int64_t range) {
  if (precision < 0 && range < 0)
    throw Error{ErrorClass::arg, "neither a precision nor a range is given"};
  for (const Floating& each : floatings)
    if (precision <= each.precision && range <= each.range) return each;
  throw Error{ErrorClass::arg, "no floating type has " + std::to_string(precision) +
                                   " digits and exponents to " + std::to_string(range)};
}

TypeRef with_contents(NamedType type, Combiner combiner, std::vector<std::int64_t> arguments) {
  const TypeRef& named = named_type(type);
  return std::make_shared<Datatype>(
      named->layout(), named->signature(), named->bounds(),
      Contents{.combiner = combiner, .integers = std::move(arguments)}, type);
}

}  // namespace

TypeRef f90_real(std::int64_t precision, std::int64_t range) {
  return with_contents(floating(precision, range).real, Combiner::f90_real, {precision, range});
}

TypeRef f90_complex(std::int64_t precision, std::int64_t range) {
  return with_contents(floating(precision, range).complex, Combiner::f90_complex,
                       {precision, range});
}

TypeRef f90_integer(std::int64_t range) {
  for (const Whole& each : wholes)
    if (range <= each.range) return with_contents(each.type, Combiner::f90_integer, {range});
  throw Error{ErrorClass::arg, "no integer type has " + std::to_string(range) + " digits"};
}

NamedType match_size(TypeClass type_class, std::int64_t bytes) {
  for (const NamedType type : members(type_class))
    if (size_of(type) == bytes) return type;
  throw Error{ErrorClass::arg, "no type of this class has " + std::to_string(bytes) + " bytes"};
}

}  // namespace odonata::libmpi
