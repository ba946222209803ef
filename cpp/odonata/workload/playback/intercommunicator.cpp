#include "odonata/units/errors.hpp"
#include "odonata/workload/playback/collective.hpp"

namespace odonata::playback {

namespace {

using trace::Collective;

// Receives take any message: sizes are the sender's.
constexpr Span anything{scratch, 0, 0};

Span data(Bytes bytes) { return {scratch, 0, bytes}; }

// This rank's two sides of an intercommunicator, and the call. The root calls itself `any`.
struct Sides {
  Rank local, remote;
  CollectiveCall call;
  Players& players;

  [[nodiscard]] bool leads() const { return local.index() == 0; }
  [[nodiscard]] bool is_root() const { return call.root == trace::any; }
  [[nodiscard]] Task in_group(Collective kind, Bytes bytes) const {
    return collective(local, {kind, bytes, 0, nullptr}, players);
  }
  /// [B] of all local or remote ranks' blocks.
  [[nodiscard]] Bytes all_bytes(const Rank& side) const {
    return call.counts ? call.counts->blocks.start(call.counts->blocks.count())
                       : side.size() * call.bytes;
  }
};

Task exchange_between_leaders(const Sides& sides, Bytes bytes) {
  if (sides.leads()) co_await sides.remote.sendrecv(0, data(bytes), 0, anything);
}

// The phases of the calls, as the rows of the operations name them.
namespace phases {

// Blocks of the root for the other group.
Task spread(Sides sides) {
  const Bytes block = sides.call.bytes;
  const bool one_for_all = sides.call.kind == Collective::bcast;
  if (sides.is_root()) {
    co_await sides.remote.send(0, data(one_for_all ? block : sides.remote.size() * block));
    co_return;
  }
  if (sides.call.root == trace::nobody) co_return;
  if (sides.leads()) co_await sides.remote.recv(sides.call.root, anything);
  Task rest = sides.in_group(sides.call.kind, block);
  co_await rest;
}

// Blocks of the other group for the root.
Task collect(Sides sides) {
  const Bytes block = sides.call.bytes;
  if (sides.is_root()) {
    co_await sides.remote.recv(0, anything);
    co_return;
  }
  if (sides.call.root == trace::nobody) co_return;
  Task first = sides.in_group(sides.call.kind, block);
  co_await first;
  if (!sides.leads()) co_return;
  const bool one_of_all = sides.call.kind == Collective::reduce;
  co_await sides.remote.send(sides.call.root,
                             data(one_of_all ? block : sides.local.size() * block));
}

// Blocks of different sizes between the root and each rank of the other group.
Task directly_with_root(Sides sides) {
  const bool to_root = sides.call.kind == Collective::gatherv;
  if (sides.is_root()) {
    std::vector<Request> all;
    for (int i = 0; i < sides.remote.size(); ++i) {
      const Bytes block = sides.call.counts ? sides.call.counts->blocks.start(i + 1) -
                                                  sides.call.counts->blocks.start(i)
                                            : 0;
      all.push_back(to_root ? sides.remote.irecv(i, anything) : sides.remote.isend(i, data(block)));
    }
    co_await sides.remote.wait_all(all);
  } else if (sides.call.root != trace::nobody) {
    if (to_root)
      co_await sides.remote.send(sides.call.root, data(sides.call.bytes));
    else
      co_await sides.remote.recv(sides.call.root, anything);
  }
}

Task all_to_all(Sides sides) {
  const int peers = sides.remote.size();
  const Call call{sides.call.bytes, 0, sides.call.counts.get()};
  std::vector<Request> all;
  for (int i = 0; i < peers; ++i) all.push_back(sides.remote.irecv(i, anything));
  for (int i = 0; i < peers; ++i)
    all.push_back(sides.remote.isend(i, data(call.block(input, i).bytes)));
  co_await sides.remote.wait_all(all);
}

Task gather_everywhere(Sides sides) {
  if (sides.call.kind == Collective::allgather) {
    Task first = sides.in_group(Collective::gather, sides.call.bytes);
    co_await first;
    Task cross = exchange_between_leaders(sides, sides.local.size() * sides.call.bytes);
    co_await cross;
  } else {
    std::vector<Request> all;
    for (int i = 0; sides.leads() && i < sides.remote.size(); ++i)
      all.push_back(sides.remote.irecv(i, anything));
    all.push_back(sides.remote.isend(0, data(sides.call.bytes)));
    co_await sides.remote.wait_all(all);
  }
  Task last = sides.in_group(Collective::bcast, sides.all_bytes(sides.remote));
  co_await last;
}

Task reduce_everywhere(Sides sides) {
  const Collective kind = sides.call.kind;
  if (kind == Collective::barrier) {
    Task first = sides.in_group(kind, 0);
    co_await first;
    Task cross = exchange_between_leaders(sides, 0);
    co_await cross;
    Task last = sides.in_group(Collective::bcast, 0);
    co_await last;
    co_return;
  }
  const Bytes bytes =
      kind == Collective::allreduce ? sides.call.bytes : sides.all_bytes(sides.local);
  Task first = sides.in_group(Collective::reduce, bytes);
  co_await first;
  Task cross = exchange_between_leaders(sides, bytes);
  co_await cross;
  CollectiveCall rest{Collective::bcast, bytes, 0, nullptr};
  if (kind == Collective::reduce_scatter_block)
    rest = {Collective::scatter, sides.call.bytes, 0, nullptr};
  if (kind == Collective::reduce_scatter)
    rest = {Collective::scatterv, sides.call.bytes, 0, sides.leads() ? sides.call.counts : nullptr};
  Task last = collective(sides.local, std::move(rest), sides.players);
  co_await last;
}

Task undefined(Sides sides) {
  throw UserError(std::string(trace::row_of(sides.call.kind).name) +
                  ": not defined on an intercommunicator");
}

}  // namespace phases

using Phases = Task(Sides sides);

constexpr Phases* phases_of[] = {
#define ODONATA_OPERATION(name, root, sizes, moves, input, output, mpich, openmpi, between, ...)   \
  phases::between,
#include "odonata/trace/collectives.inc"
#undef ODONATA_OPERATION
};

}  // namespace

Task collective_between(Rank local, Rank remote, CollectiveCall call, Players& players) {
  Phases* const run = phases_of[static_cast<std::size_t>(call.kind)];
  return run({std::move(local), std::move(remote), std::move(call), players});
}

}  // namespace odonata::playback
