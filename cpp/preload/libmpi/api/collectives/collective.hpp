// Definitions of collectives. Each has six forms: blocking, nonblocking and persistent, with counts
// of type int and MPI_Count.
#pragma once

#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/core/collectives/collective.hpp"
#include "preload/libmpi/core/topologies/topology.hpp"

/// `Parameters(Count, Displacement)` are those before the communicator; the body fills a
/// CollectiveCall called `c`.
#define ODONATA_COLLECTIVE(Name, IName, Parameters, ...)                                           \
  ODONATA_COLLECTIVE_FORMS(Name, IName, Name##_init, Parameters(int, int), __VA_ARGS__)            \
  ODONATA_COLLECTIVE_FORMS(Name##_c, IName##_c, Name##_init_c, Parameters(MPI_Count, MPI_Aint),    \
                           __VA_ARGS__)

#define ODONATA_UNPAREN(...) __VA_ARGS__

#define ODONATA_COLLECTIVE_FORMS(Name, IName, InitName, Parameters, ...)                           \
  ODONATA_MPI(int, Name, (ODONATA_UNPAREN Parameters, MPI_Comm comm)) {                            \
    return blocking(Function::Name, comm, [&](CollectiveCall& c) { __VA_ARGS__ });                 \
  }                                                                                                \
  ODONATA_MPI(int, IName, (ODONATA_UNPAREN Parameters, MPI_Comm comm, MPI_Request * request)) {    \
    return nonblocking(Function::IName, comm, request, [&](CollectiveCall& c) { __VA_ARGS__ });    \
  }                                                                                                \
  ODONATA_MPI(int, InitName,                                                                       \
              (ODONATA_UNPAREN Parameters, MPI_Comm comm, MPI_Info, MPI_Request * request)) {      \
    return persistent(Function::InitName, comm, request, [&](CollectiveCall& c) { __VA_ARGS__ });  \
  }

namespace odonata::libmpi::api {

using trace::Collective;

template <class Fill>
CollectiveCall make_call(Function function, MPI_Comm comm, Fill& fill) {
  CollectiveCall c;
  c.function = function;
  c.comm = comm_of(comm);
  fill(c);
#ifndef ODONATA_ABI_OPENMPI
  refuse_aliases(c);
#endif
  return c;
}

template <class Fill>
int blocking(Function function, MPI_Comm comm, Fill fill) {
  return call(function, comm, [&] { run_collective(make_call(function, comm, fill)); });
}

template <class Fill>
int nonblocking(Function function, MPI_Comm comm, MPI_Request* request, Fill fill) {
  return call(function, comm, [&] {
    MPI_Request& made = out(request);
    made = add(begin_collective(make_call(function, comm, fill)));
  });
}

template <class Fill>
int persistent(Function function, MPI_Comm comm, MPI_Request* request, Fill fill) {
  return call(function, comm, [&] {
    MPI_Request& made = out(request);
    made = add(init_collective(make_call(function, comm, fill)));
  });
}

/// Blocks of equal length.
[[nodiscard]] BufferBlocks blocks(const void* data, std::int64_t count, MPI_Datatype type);
/// The same for a buffer that may be MPI_IN_PLACE; count and type are then ignored.
[[nodiscard]] BufferBlocks blocks_or_in_place(const void* data, std::int64_t count,
                                              MPI_Datatype type);

/// Blocks of the v forms.
template <class Count, class Displacement>
BufferBlocks blocks(const void* data, const Count* counts, const Displacement* displacements, int n,
                    MPI_Datatype type) {
  BufferBlocks result = blocks(data, 0, type);
  result.counts.assign(array(counts, n), counts + n);
  result.displacements.assign(array(displacements, n), displacements + n);
  return result;
}

/// Blocks of the w forms.
template <class Count, class Displacement>
BufferBlocks blocks(const void* data, const Count* counts, const Displacement* displacements, int n,
                    const MPI_Datatype* types) {
  BufferBlocks result;
  result.data = const_cast<void*>(data);
  result.counts.assign(array(counts, n), counts + n);
  result.displacements.assign(array(displacements, n), displacements + n);
  static_cast<void>(array(types, n));
  for (int i = 0; i < n; ++i) result.types.push_back(buffer(nullptr, 0, types[i]).type);
  return result;
}

template <class... Arguments>
BufferBlocks blocks_or_in_place(const void* data, Arguments... arguments) {
  if (!in_place(data)) return blocks(data, arguments...);
  BufferBlocks result;
  result.in_place = true;
  return result;
}

/// Is this rank the root?
[[nodiscard]] inline bool is_root(const CollectiveCall& c) {
  return c.root == this_is_root || (!c.comm->inter() && c.root == c.comm->rank);
}
/// Does this rank send to, or receive from, the root? (In an intercommunicator the others in its
/// group do not, nor does the root itself.)
[[nodiscard]] inline bool has_root(const CollectiveCall& c) { return c.root >= 0; }

}  // namespace odonata::libmpi::api
