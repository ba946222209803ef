// Collectives of a rank: the bytes of its call, by the operation and its arguments up to the
// communicator. Each equals the record that `record_of` of libmpi writes for the same call.
#pragma once

#include "preload/libprofile/recorder.hpp"

namespace odonata::libprofile {

using trace::Collective;

/// True on the rank that has the blocks of all.
[[nodiscard]] bool is_root(const Comm& comm, int root);
/// False for the root's fellows in a collective between two groups.
[[nodiscard]] bool takes_part(const Comm& comm, int root);
/// The whole, from the size of a block and the words.
[[nodiscard]] Collected collect(const Comm& comm, Collective operation, int root,
                                std::int64_t bytes, Words words = {});
/// The same for an operation without a root.
[[nodiscard]] Collected collect(const Comm& comm, Collective operation, std::int64_t bytes,
                                Words words = {});
/// Neighbours and the sizes of blocks from each source and, if there are any, to each destination.
[[nodiscard]] Words neighborhood(const Comm& comm, const Words& from, const Words& to);

inline bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

/// Sizes of n blocks, whose datatype is one for all or one for each [B].
template <class Count>
Words blocks(Recorder& to, const Count* counts, MPI_Datatype type, std::int32_t n) {
  Words all;
  const std::int64_t each = n > 0 ? to.bytes(1, type) : 0;
  for (std::int32_t i = 0; i < n; ++i) all.push_back(static_cast<std::uint64_t>(counts[i] * each));
  return all;
}
template <class Count>
Words blocks(Recorder& to, const Count* counts, const MPI_Datatype* types, std::int32_t n) {
  Words all;
  for (std::int32_t i = 0; i < n; ++i)
    all.push_back(static_cast<std::uint64_t>(to.bytes(counts[i], types[i])));
  return all;
}

struct Barrier {
  static constexpr std::size_t arguments = 0;
  static Collected of(Recorder& to, MPI_Comm comm) {
    return collect(to.comm(comm), Collective::barrier, 0);
  }
};

struct Bcast {
  static constexpr std::size_t arguments = 4;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, auto count, MPI_Datatype type,
                      int root) {
    return collect(to.comm(comm), Collective::bcast, root, to.bytes(count, type));
  }
};

struct Gather {
  static constexpr std::size_t arguments = 7;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, auto sent, MPI_Datatype send_type,
                      void*, auto received, MPI_Datatype type, int root) {
    const Comm& in = to.comm(comm);
    if (!takes_part(in, root)) return collect(in, Collective::gather, root, 0);
    return collect(in, Collective::gather, root,
                   is_root(in, root) ? to.bytes(received, type) : to.bytes(sent, send_type));
  }
};

struct Gatherv {
  static constexpr std::size_t arguments = 8;
  static Collected of(Recorder& to, MPI_Comm comm, const void* send, auto sent,
                      MPI_Datatype send_type, void*, auto* counts, auto*, MPI_Datatype type,
                      int root) {
    const Comm& in = to.comm(comm);
    if (!takes_part(in, root)) return collect(in, Collective::gatherv, root, 0);
    if (!is_root(in, root))
      return collect(in, Collective::gatherv, root, to.bytes(sent, send_type));
    const Words words = blocks(to, counts, type, in.num_peers);
    const auto own = [&] {
      if (in.inter) return std::int64_t{0};
      return in_place(send) ? to.bytes(counts[in.rank], type) : to.bytes(sent, send_type);
    };
    return collect(in, Collective::gatherv, root, own(), words);
  }
};

struct Scatter {
  static constexpr std::size_t arguments = 7;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, auto sent, MPI_Datatype send_type,
                      void*, auto received, MPI_Datatype type, int root) {
    const Comm& in = to.comm(comm);
    if (!takes_part(in, root)) return collect(in, Collective::scatter, root, 0);
    return collect(in, Collective::scatter, root,
                   is_root(in, root) ? to.bytes(sent, send_type) : to.bytes(received, type));
  }
};

struct Scatterv {
  static constexpr std::size_t arguments = 8;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, auto* counts, auto*,
                      MPI_Datatype send_type, void* receive, auto received, MPI_Datatype type,
                      int root) {
    const Comm& in = to.comm(comm);
    if (!takes_part(in, root)) return collect(in, Collective::scatterv, root, 0);
    if (!is_root(in, root))
      return collect(in, Collective::scatterv, root, to.bytes(received, type));
    const Words words = blocks(to, counts, send_type, in.num_peers);
    const auto own = [&] {
      if (in.inter) return std::int64_t{0};
      return in_place(receive) ? to.bytes(counts[in.rank], send_type) : to.bytes(received, type);
    };
    return collect(in, Collective::scatterv, root, own(), words);
  }
};

struct Allgather {
  static constexpr std::size_t arguments = 6;
  static Collected of(Recorder& to, MPI_Comm comm, const void* send, auto sent,
                      MPI_Datatype send_type, void*, auto received, MPI_Datatype type) {
    return collect(to.comm(comm), Collective::allgather,
                   in_place(send) ? to.bytes(received, type) : to.bytes(sent, send_type));
  }
};

struct Allgatherv {
  static constexpr std::size_t arguments = 7;
  static Collected of(Recorder& to, MPI_Comm comm, const void* send, auto sent,
                      MPI_Datatype send_type, void*, auto* counts, auto*, MPI_Datatype type) {
    const Comm& in = to.comm(comm);
    const std::int64_t own =
        in_place(send) ? to.bytes(counts[in.rank], type) : to.bytes(sent, send_type);
    return collect(in, Collective::allgatherv, own, blocks(to, counts, type, in.num_peers));
  }
};

struct Alltoall {
  static constexpr std::size_t arguments = 6;
  static Collected of(Recorder& to, MPI_Comm comm, const void* send, auto sent,
                      MPI_Datatype send_type, void*, auto received, MPI_Datatype type) {
    return collect(to.comm(comm), Collective::alltoall,
                   in_place(send) ? to.bytes(received, type) : to.bytes(sent, send_type));
  }
};

/// The v form, and the w form, whose types are one for each block.
template <Collective operation>
struct AlltoallOfSizes {
  static constexpr std::size_t arguments = 8;
  static Collected of(Recorder& to, MPI_Comm comm, const void* send, auto* sent, auto*,
                      auto send_type, void*, auto* received, auto*, auto type) {
    const Comm& in = to.comm(comm);
    Words words = in_place(send) ? blocks(to, received, type, in.num_peers)
                                 : blocks(to, sent, send_type, in.num_peers);
    const Words from = blocks(to, received, type, in.num_peers);
    words.insert(words.end(), from.begin(), from.end());
    return collect(in, operation, 0, words);
  }
};
using Alltoallv = AlltoallOfSizes<Collective::alltoallv>;
using Alltoallw = AlltoallOfSizes<Collective::alltoallw>;

struct Reduce {
  static constexpr std::size_t arguments = 6;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, void*, auto count,
                      MPI_Datatype type, MPI_Op, int root) {
    const Comm& in = to.comm(comm);
    return collect(in, Collective::reduce, root, takes_part(in, root) ? to.bytes(count, type) : 0);
  }
};

/// Reductions without a root whose data are one vector.
template <Collective operation>
struct Reduction {
  static constexpr std::size_t arguments = 5;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, void*, auto count,
                      MPI_Datatype type, MPI_Op) {
    return collect(to.comm(comm), operation, to.bytes(count, type));
  }
};
using Allreduce = Reduction<Collective::allreduce>;
using Scan = Reduction<Collective::scan>;
using Exscan = Reduction<Collective::exscan>;
using ReduceScatterBlock = Reduction<Collective::reduce_scatter_block>;

struct ReduceScatter {
  static constexpr std::size_t arguments = 5;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, void*, auto* counts,
                      MPI_Datatype type, MPI_Op) {
    const Comm& in = to.comm(comm);
    return collect(in, Collective::reduce_scatter, to.bytes(counts[in.rank], type),
                   blocks(to, counts, type, in.num_local));
  }
};

struct NeighborAllgather {
  static constexpr std::size_t arguments = 6;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, auto sent, MPI_Datatype send_type,
                      void*, auto received, MPI_Datatype type) {
    const Comm& in = to.comm_with_neighbors(comm);
    const auto each = static_cast<std::uint64_t>(to.bytes(received, type));
    return collect(in, Collective::neighbor_allgather, to.bytes(sent, send_type),
                   neighborhood(in, Words(in.sources.size(), each), {}));
  }
};

struct NeighborAllgatherv {
  static constexpr std::size_t arguments = 7;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, auto sent, MPI_Datatype send_type,
                      void*, auto* received, auto*, MPI_Datatype type) {
    const Comm& in = to.comm_with_neighbors(comm);
    const auto n = static_cast<std::int32_t>(in.sources.size());
    return collect(in, Collective::neighbor_allgather, to.bytes(sent, send_type),
                   neighborhood(in, blocks(to, received, type, n), {}));
  }
};

struct NeighborAlltoall {
  static constexpr std::size_t arguments = 6;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, auto sent, MPI_Datatype send_type,
                      void*, auto received, MPI_Datatype type) {
    const Comm& in = to.comm_with_neighbors(comm);
    const auto out = static_cast<std::uint64_t>(to.bytes(sent, send_type));
    const auto back = static_cast<std::uint64_t>(to.bytes(received, type));
    return collect(
        in, Collective::neighbor_alltoall, 0,
        neighborhood(in, Words(in.sources.size(), back), Words(in.destinations.size(), out)));
  }
};

struct NeighborAlltoallv {
  static constexpr std::size_t arguments = 8;
  static Collected of(Recorder& to, MPI_Comm comm, const void*, auto* sent, auto*, auto send_type,
                      void*, auto* received, auto*, auto type) {
    const Comm& in = to.comm_with_neighbors(comm);
    const Words from = blocks(to, received, type, static_cast<std::int32_t>(in.sources.size()));
    const Words out =
        blocks(to, sent, send_type, static_cast<std::int32_t>(in.destinations.size()));
    return collect(in, Collective::neighbor_alltoall, 0, neighborhood(in, from, out));
  }
};
using NeighborAlltoallw = NeighborAlltoallv;

/// The bytes of a call, all of whose arguments are given.
template <class Operation>
Collected collected(Recorder& to, const auto& arguments) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return Operation::of(to, std::get<Operation::arguments>(arguments), std::get<i>(arguments)...);
  }(std::make_index_sequence<Operation::arguments>{});
}

}  // namespace odonata::libprofile
