// Datatypes of subarrays and of distributed arrays.
#include "preload/libmpi/api/datatypes/datatype.hpp"

namespace odonata::libmpi::api {

namespace {

ArrayOrder order_of(int order) {
  require(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, ErrorClass::arg,
          "the order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
  return order == MPI_ORDER_C ? ArrayOrder::c : ArrayOrder::fortran;
}

Distribution distribution_of(int distribution) {
  if (distribution == MPI_DISTRIBUTE_BLOCK) return Distribution::block;
  if (distribution == MPI_DISTRIBUTE_CYCLIC) return Distribution::cyclic;
  require(distribution == MPI_DISTRIBUTE_NONE, ErrorClass::arg, "not a distribution");
  return Distribution::none;
}

template <class Integer>
int make_subarray(Function function, Form form, int num_dimensions, const Integer* sizes,
                  const Integer* subsizes, const Integer* starts, int order, MPI_Datatype old,
                  MPI_Datatype* made) {
  return make(function, made, [&] {
    require(num_dimensions > 0, ErrorClass::arg, "the number of dimensions is not positive");
    return subarray(list(num_dimensions, sizes), list(num_dimensions, subsizes),
                    list(num_dimensions, starts), order_of(order), type_of(old), form);
  });
}

/// The arguments of MPI_Type_create_darray that do not depend on its form.
struct Grid {
  int size, rank, num_dimensions;
  const int *distributions, *arguments, *processes;
  int order;
};

template <class Integer>
TypeRef darray_of(const Grid& grid, const Integer* sizes, MPI_Datatype old, Form form) {
  require(grid.num_dimensions > 0, ErrorClass::arg, "the number of dimensions is not positive");
  const std::vector<std::int64_t> lengths = list(grid.num_dimensions, sizes);
  const std::vector<std::int64_t> processes = list(grid.num_dimensions, grid.processes);
  std::vector<std::int64_t> arguments = list(grid.num_dimensions, grid.arguments);
  for (std::int64_t& argument : arguments)
    if (argument == MPI_DISTRIBUTE_DFLT_DARG) argument = default_argument;
  std::vector<Distribution> distributions;
  for (const std::int64_t each : list(grid.num_dimensions, grid.distributions))
    distributions.push_back(distribution_of(static_cast<int>(each)));
  return darray({.size = grid.size,
                 .rank = grid.rank,
                 .sizes = lengths,
                 .distributions = distributions,
                 .arguments = arguments,
                 .processes = processes,
                 .order = order_of(grid.order)},
                type_of(old), form);
}

}  // namespace

ODONATA_MPI(int, Type_create_subarray,
            (int ndims, const int sizes[], const int subsizes[], const int starts[], int order,
             MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make_subarray(Function::Type_create_subarray, Form::normal, ndims, sizes, subsizes, starts,
                       order, oldtype, newtype);
}

ODONATA_MPI(int, Type_create_darray,
            (int size, int rank, int ndims, const int gsizes[], const int distribs[],
             const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_create_darray, newtype, [&] {
    return darray_of({size, rank, ndims, distribs, dargs, psizes, order}, gsizes, oldtype,
                     Form::normal);
  });
}

#if MPI_VERSION >= 4
ODONATA_MPI(int, Type_create_subarray_c,
            (int ndims, const MPI_Count sizes[], const MPI_Count subsizes[],
             const MPI_Count starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return make_subarray(Function::Type_create_subarray_c, Form::large, ndims, sizes, subsizes,
                       starts, order, oldtype, newtype);
}

ODONATA_MPI(int, Type_create_darray_c,
            (int size, int rank, int ndims, const MPI_Count gsizes[], const int distribs[],
             const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
             MPI_Datatype* newtype)) {
  return make(Function::Type_create_darray_c, newtype, [&] {
    return darray_of({size, rank, ndims, distribs, dargs, psizes, order}, gsizes, oldtype,
                     Form::large);
  });
}
#endif

}  // namespace odonata::libmpi::api
