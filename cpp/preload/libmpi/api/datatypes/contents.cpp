// MPI_Type_get_envelope and MPI_Type_get_contents.
#include "preload/libmpi/api/datatypes/datatype.hpp"

#include <algorithm>

namespace odonata::libmpi::api {

namespace {

int combiner_code(Combiner combiner) {
  switch (combiner) {
    case Combiner::named: return MPI_COMBINER_NAMED;
    case Combiner::dup: return MPI_COMBINER_DUP;
    case Combiner::contiguous: return MPI_COMBINER_CONTIGUOUS;
    case Combiner::vector: return MPI_COMBINER_VECTOR;
    case Combiner::hvector: return MPI_COMBINER_HVECTOR;
    case Combiner::indexed: return MPI_COMBINER_INDEXED;
    case Combiner::hindexed: return MPI_COMBINER_HINDEXED;
    case Combiner::indexed_block: return MPI_COMBINER_INDEXED_BLOCK;
    case Combiner::hindexed_block: return MPI_COMBINER_HINDEXED_BLOCK;
    case Combiner::structure: return MPI_COMBINER_STRUCT;
    case Combiner::subarray: return MPI_COMBINER_SUBARRAY;
    case Combiner::darray: return MPI_COMBINER_DARRAY;
    case Combiner::f90_real: return MPI_COMBINER_F90_REAL;
    case Combiner::f90_complex: return MPI_COMBINER_F90_COMPLEX;
    case Combiner::f90_integer: return MPI_COMBINER_F90_INTEGER;
    case Combiner::resized: return MPI_COMBINER_RESIZED;
  }
  return MPI_UNDEFINED;
}

int distribution_code(std::int64_t distribution) {
  switch (static_cast<Distribution>(distribution)) {
    case Distribution::block: return MPI_DISTRIBUTE_BLOCK;
    case Distribution::cyclic: return MPI_DISTRIBUTE_CYCLIC;
    case Distribution::none: break;
  }
  return MPI_DISTRIBUTE_NONE;
}

/// The integers with the constants of the ABI in them.
std::vector<std::int64_t> integers_of(const Contents& contents) {
  std::vector<std::int64_t> integers = contents.integers;
  if (contents.combiner == Combiner::subarray || contents.combiner == Combiner::darray) {
    const bool c = integers.back() == static_cast<std::int64_t>(ArrayOrder::c);
    integers.back() = c ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  }
  if (contents.combiner == Combiner::darray) {
    // size, rank, number of dimensions, [sizes], distributions, arguments, processes, order
    const std::int64_t dimensions = integers[2];
    const auto distributions = integers.begin() + 3 + (contents.counts.empty() ? dimensions : 0);
    const auto arguments = distributions + dimensions;
    std::transform(distributions, arguments, distributions, distribution_code);
    std::replace(arguments, arguments + dimensions, std::int64_t{default_argument},
                 std::int64_t{MPI_DISTRIBUTE_DFLT_DARG});
  }
  return integers;
}

/// The contents of a datatype. Throws Error if the form asked for cannot hold them.
const Contents& contents_of(MPI_Datatype datatype, Form asked) {
  const Contents& contents = type_of(datatype)->contents();
  require(asked == Form::large || contents.counts.empty(), ErrorClass::type,
          "the datatype was made by a large-count function");
  return contents;
}

template <class Integer>
void give(const std::vector<std::int64_t>& values, std::int64_t room, Integer* to) {
  require(room >= static_cast<std::int64_t>(values.size()), ErrorClass::arg,
          "an array is too short for the datatype's contents");
  std::transform(values.begin(), values.end(), array(to, std::ssize(values)),
                 [](std::int64_t value) { return static_cast<Integer>(value); });
}

/// Derived datatypes get new handles, which the program has to free.
void give_types(const std::vector<TypeRef>& types, std::int64_t room, MPI_Datatype* to) {
  require(room >= static_cast<std::int64_t>(types.size()), ErrorClass::arg,
          "an array is too short for the datatype's contents");
  static_cast<void>(array(to, std::ssize(types)));
  for (const TypeRef& type : types) {
    const auto constant = constant_of(*type);
    *to = constant ? *constant : add(type);
    type_object_of(*to++).committed = true;
  }
}

template <class Integer>
Integer length(const auto& list) {
  return static_cast<Integer>(list.size());
}

void require_made(const Contents& contents) {
  require(contents.combiner != Combiner::named, ErrorClass::type,
          "a datatype that MPI names has no contents");
}

}  // namespace

ODONATA_MPI(int, Type_get_envelope,
            (MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes,
             int* combiner)) {
  return call(Function::Type_get_envelope, [&] {
    const Contents& contents = contents_of(datatype, Form::normal);
    out(num_integers) = length<int>(contents.integers);
    out(num_addresses) = length<int>(contents.addresses);
    out(num_datatypes) = length<int>(contents.types);
    out(combiner) = combiner_code(contents.combiner);
  });
}

ODONATA_MPI(int, Type_get_contents,
            (MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
             int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[])) {
  return call(Function::Type_get_contents, [&] {
    const Contents& contents = contents_of(datatype, Form::normal);
    require_made(contents);
    give(integers_of(contents), max_integers, integers);
    give(contents.addresses, max_addresses, addresses);
    give_types(contents.types, max_datatypes, datatypes);
  });
}

#if MPI_VERSION >= 4
ODONATA_MPI(int, Type_get_envelope_c,
            (MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
             MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner)) {
  return call(Function::Type_get_envelope_c, [&] {
    const Contents& contents = contents_of(datatype, Form::large);
    out(num_integers) = length<MPI_Count>(contents.integers);
    out(num_addresses) = length<MPI_Count>(contents.addresses);
    out(num_large_counts) = length<MPI_Count>(contents.counts);
    out(num_datatypes) = length<MPI_Count>(contents.types);
    out(combiner) = combiner_code(contents.combiner);
  });
}

ODONATA_MPI(int, Type_get_contents_c,
            (MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
             MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
             MPI_Aint addresses[], MPI_Count large_counts[], MPI_Datatype datatypes[])) {
  return call(Function::Type_get_contents_c, [&] {
    const Contents& contents = contents_of(datatype, Form::large);
    require_made(contents);
    give(integers_of(contents), max_integers, integers);
    give(contents.addresses, max_addresses, addresses);
    give(contents.counts, max_large_counts, large_counts);
    give_types(contents.types, max_datatypes, datatypes);
  });
}
#endif

}  // namespace odonata::libmpi::api
