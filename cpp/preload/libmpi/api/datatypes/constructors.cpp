// Constructors of datatypes.
#include "preload/libmpi/api/datatypes/datatype.hpp"

namespace odonata::libmpi::api {

namespace {

std::vector<TypeRef> types_of(std::int64_t count, const MPI_Datatype* handles) {
  require(handles != nullptr || count <= 0, ErrorClass::arg, "an array is a null pointer");
  std::vector<TypeRef> types;
  for (std::int64_t i = 0; i < count; ++i) types.push_back(type_of(handles[i]));
  return types;
}

}  // namespace

ODONATA_MPI(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make(Function::Type_contiguous, newtype,
              [&] { return contiguous(count, type_of(oldtype)); });
}

ODONATA_MPI(int, Type_vector,
            (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make(Function::Type_vector, newtype,
              [&] { return vector(count, blocklength, stride, type_of(oldtype)); });
}

ODONATA_MPI(int, Type_create_hvector,
            (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_create_hvector, newtype,
              [&] { return hvector(count, blocklength, stride, type_of(oldtype)); });
}

ODONATA_MPI(int, Type_indexed,
            (int count, const int blocklengths[], const int displacements[], MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_indexed, newtype, [&] {
    return indexed(list(count, blocklengths), list(count, displacements), type_of(oldtype));
  });
}

ODONATA_MPI(int, Type_create_hindexed,
            (int count, const int blocklengths[], const MPI_Aint displacements[],
             MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make(Function::Type_create_hindexed, newtype, [&] {
    return hindexed(list(count, blocklengths), list(count, displacements), type_of(oldtype));
  });
}

ODONATA_MPI(int, Type_create_indexed_block,
            (int count, int blocklength, const int displacements[], MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_create_indexed_block, newtype, [&] {
    return indexed_block(blocklength, list(count, displacements), type_of(oldtype));
  });
}

ODONATA_MPI(int, Type_create_hindexed_block,
            (int count, int blocklength, const MPI_Aint displacements[], MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_create_hindexed_block, newtype, [&] {
    return hindexed_block(blocklength, list(count, displacements), type_of(oldtype));
  });
}

ODONATA_MPI(int, Type_create_struct,
            (int count, const int blocklengths[], const MPI_Aint displacements[],
             const MPI_Datatype types[], MPI_Datatype* newtype)) {
  return make(Function::Type_create_struct, newtype, [&] {
    return structure(list(count, blocklengths), list(count, displacements), types_of(count, types));
  });
}

ODONATA_MPI(int, Type_create_resized,
            (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype)) {
  return make(Function::Type_create_resized, newtype,
              [&] { return resized(type_of(oldtype), lb, extent); });
}

#if MPI_VERSION >= 4
ODONATA_MPI(int, Type_contiguous_c,
            (MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make(Function::Type_contiguous_c, newtype,
              [&] { return contiguous(count, type_of(oldtype), Form::large); });
}

ODONATA_MPI(int, Type_vector_c,
            (MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_vector_c, newtype,
              [&] { return vector(count, blocklength, stride, type_of(oldtype), Form::large); });
}

ODONATA_MPI(int, Type_create_hvector_c,
            (MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_create_hvector_c, newtype,
              [&] { return hvector(count, blocklength, stride, type_of(oldtype), Form::large); });
}

ODONATA_MPI(int, Type_indexed_c,
            (MPI_Count count, const MPI_Count blocklengths[], const MPI_Count displacements[],
             MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make(Function::Type_indexed_c, newtype, [&] {
    return indexed(list(count, blocklengths), list(count, displacements), type_of(oldtype),
                   Form::large);
  });
}

ODONATA_MPI(int, Type_create_hindexed_c,
            (MPI_Count count, const MPI_Count blocklengths[], const MPI_Count displacements[],
             MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make(Function::Type_create_hindexed_c, newtype, [&] {
    return hindexed(list(count, blocklengths), list(count, displacements), type_of(oldtype),
                    Form::large);
  });
}

ODONATA_MPI(int, Type_create_indexed_block_c,
            (MPI_Count count, MPI_Count blocklength, const MPI_Count displacements[],
             MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make(Function::Type_create_indexed_block_c, newtype, [&] {
    return indexed_block(blocklength, list(count, displacements), type_of(oldtype), Form::large);
  });
}

ODONATA_MPI(int, Type_create_hindexed_block_c,
            (MPI_Count count, MPI_Count blocklength, const MPI_Count displacements[],
             MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make(Function::Type_create_hindexed_block_c, newtype, [&] {
    return hindexed_block(blocklength, list(count, displacements), type_of(oldtype), Form::large);
  });
}

ODONATA_MPI(int, Type_create_struct_c,
            (MPI_Count count, const MPI_Count blocklengths[], const MPI_Count displacements[],
             const MPI_Datatype types[], MPI_Datatype* newtype)) {
  return make(Function::Type_create_struct_c, newtype, [&] {
    return structure(list(count, blocklengths), list(count, displacements), types_of(count, types),
                     Form::large);
  });
}

ODONATA_MPI(int, Type_create_resized_c,
            (MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype)) {
  return make(Function::Type_create_resized_c, newtype,
              [&] { return resized(type_of(oldtype), lb, extent, Form::large); });
}
#endif

}  // namespace odonata::libmpi::api
