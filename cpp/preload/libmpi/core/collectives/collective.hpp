// Collectives: their data move through shared memory, their records go to the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "preload/libmpi/core/communicators/comm.hpp"
#include "preload/libmpi/core/point_to_point/point_to_point.hpp"
#include "preload/libmpi/core/requests/request.hpp"

namespace odonata::libmpi {

class Op;  // op.hpp
using OpRef = std::shared_ptr<const Op>;

/// MPI_ROOT, in calls on intercommunicators; trace::nobody is MPI_PROC_NULL.
inline constexpr int this_is_root = -3;

/// Elements of one type in the program's memory.
struct Elements {
  void* data = nullptr;
  std::int64_t count = 0;
  const Datatype* type = nullptr;

  [[nodiscard]] std::size_t bytes() const {
    return count == 0 ? 0 : static_cast<std::size_t>(count * type->size());
  }
};

/// The program's memory as blocks: one for each peer, or a single one if the operation needs no
/// more.
struct BufferBlocks {
  void* data = nullptr;
  std::int64_t count = 0;  // of every block, where there are no counts
  TypeRef type;
  std::vector<std::int64_t> counts;         // the v forms
  std::vector<std::int64_t>
      displacements;  // in extents of the type; in bytes where there are types
  std::vector<TypeRef> types;               // the w forms
  bool in_place = false;                    // MPI_IN_PLACE

  [[nodiscard]] Elements block(int index) const;
};

/// A call of a collective with the program's arguments. MPI_Bcast has its buffer in `recv` and an
/// empty `send`; reductions have `count` elements of one type in both.
struct CollectiveCall {
  Function function = {};
  trace::Collective kind = trace::Collective::barrier;
  CommRef comm;
  int root = trace::nobody;
  BufferBlocks send, recv;
  OpRef op;
};

/// Throws Error if the send and receive buffers overlap without MPI_IN_PLACE. MPI forbids that, and
/// Open MPI tolerates it.
void refuse_aliases(const CollectiveCall& call);

/// Returns when this rank has the data that it needs from the others.
void run_collective(const CollectiveCall& call);
RequestRef begin_collective(CollectiveCall call);
/// A persistent request, not yet started.
RequestRef init_collective(CollectiveCall call);

}  // namespace odonata::libmpi
