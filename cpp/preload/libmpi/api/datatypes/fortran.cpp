// Datatypes of Fortran, found by precision, range or size.
#include "preload/libmpi/api/datatypes/datatype.hpp"

namespace odonata::libmpi::api {

namespace {

/// The same arguments give the same handle, and the program does not free it.
template <class Maker>
int once(Function function, MPI_Datatype* found, Maker&& maker) {
  return call(function, [&] {
    out(found) = MPI_DATATYPE_NULL;
    const TypeRef made = maker();
    const Contents& wanted = made->contents();
    const auto known = handles().types.made_where([&](const TypeObjectRef& object) {
      const Contents& contents = object->type->contents();
      return object->predefined && contents.combiner == wanted.combiner &&
             contents.integers == wanted.integers;
    });
    *found = known ? *known : add(made);
    TypeObject& object = type_object_of(*found);
    object.predefined = object.committed = true;
  });
}

TypeClass class_of(int type_class) {
  switch (type_class) {
    case MPI_TYPECLASS_INTEGER: return TypeClass::integer;
    case MPI_TYPECLASS_REAL: return TypeClass::real;
    case MPI_TYPECLASS_COMPLEX: return TypeClass::complex;
    default: break;
  }
#ifdef ODONATA_ABI_STANDARD
  if (type_class == MPIX_TYPECLASS_LOGICAL) return TypeClass::logical;
#endif
  throw Error{ErrorClass::arg, "not a class of types: " + std::to_string(type_class)};
}

}  // namespace

ODONATA_MPI(int, Type_create_f90_real, (int precision, int range, MPI_Datatype* newtype)) {
  return once(Function::Type_create_f90_real, newtype, [&] { return f90_real(precision, range); });
}

ODONATA_MPI(int, Type_create_f90_complex, (int precision, int range, MPI_Datatype* newtype)) {
  return once(Function::Type_create_f90_complex, newtype,
              [&] { return f90_complex(precision, range); });
}

ODONATA_MPI(int, Type_create_f90_integer, (int range, MPI_Datatype* newtype)) {
  return once(Function::Type_create_f90_integer, newtype, [&] { return f90_integer(range); });
}

ODONATA_MPI(int, Type_match_size, (int type_class, int size, MPI_Datatype* datatype)) {
  return call(Function::Type_match_size, [&] {
    const TypeRef& type = named_type(match_size(class_of(type_class), size));
    const auto constant = constant_of(*type);
    require(constant.has_value(), ErrorClass::arg, "this MPI has no such type");
    out(datatype) = *constant;
  });
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
ODONATA_MPI(int, Type_get_value_index,
            (MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type)) {
  return call(Function::Type_get_value_index, [&] {
    const auto value = type_of(value_type)->named();
    const auto index = type_of(index_type)->named();
    out(pair_type) = MPI_DATATYPE_NULL;
    if (!value || !index) return;
    if (const auto pair = pair_of(*value, *index))
      out(pair_type) = constant_of(*named_type(*pair)).value_or(MPI_DATATYPE_NULL);
  });
}
#endif

}  // namespace odonata::libmpi::api
