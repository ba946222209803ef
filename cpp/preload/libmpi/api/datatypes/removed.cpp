// Datatype functions of MPI-1 that MPI-3 removed and old programs still call.
#include "preload/libmpi/api/datatypes/datatype.hpp"

#undef MPI_Address
#undef MPI_Type_extent
#undef MPI_Type_hindexed
#undef MPI_Type_hvector
#undef MPI_Type_lb
#undef MPI_Type_struct
#undef MPI_Type_ub

namespace odonata::libmpi::api {

ODONATA_MPI(int, Address, (void* location, MPI_Aint* address)) {
  return call(Function::Address, [&] { out(address) = reinterpret_cast<MPI_Aint>(location); });
}

ODONATA_MPI(int, Type_extent, (MPI_Datatype datatype, MPI_Aint* extent)) {
  return call(Function::Type_extent, [&] { out(extent) = type_of(datatype)->extent(); });
}

ODONATA_MPI(int, Type_lb, (MPI_Datatype datatype, MPI_Aint* lb)) {
  return call(Function::Type_lb, [&] { out(lb) = type_of(datatype)->lb(); });
}

ODONATA_MPI(int, Type_ub, (MPI_Datatype datatype, MPI_Aint* ub)) {
  return call(Function::Type_ub, [&] { out(ub) = type_of(datatype)->ub(); });
}

ODONATA_MPI(int, Type_hvector,
            (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_hvector, newtype,
              [&] { return hvector(count, blocklength, stride, type_of(oldtype)); });
}

ODONATA_MPI(int, Type_hindexed,
            (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_hindexed, newtype, [&] {
    return hindexed(list(count, blocklengths), list(count, displacements), type_of(oldtype));
  });
}

ODONATA_MPI(int, Type_struct,
            (int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[],
             MPI_Datatype* newtype)) {
  return make(Function::Type_struct, newtype, [&] {
    std::vector<TypeRef> parts;
    for (int i = 0; i < count; ++i) parts.push_back(type_of(types[i]));
    return structure(list(count, blocklengths), list(count, displacements), parts);
  });
}

}  // namespace odonata::libmpi::api
