// Memory that MPI allocates for the program.
#include <algorithm>
#include <cstdlib>

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

ODONATA_MPI(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void* base)) {
  return call(Function::Alloc_mem, [&] {
    auto* result = &out(static_cast<void**>(base));
    require(size >= 0, ErrorClass::arg, "the size is negative");
    static_cast<void>(info_of(info));
    void* memory = std::malloc(static_cast<std::size_t>(std::max<MPI_Aint>(size, 1)));
    if (memory == nullptr) throw Error{ErrorClass::no_mem, "no memory is left"};
    *result = memory;
  });
}

ODONATA_MPI(int, Free_mem, (void* base)) {
  return call(Function::Free_mem, [&] { std::free(base); });
}

}  // namespace odonata::libmpi::api
