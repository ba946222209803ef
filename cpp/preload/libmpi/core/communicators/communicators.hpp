// Constructors of communicators. Each call writes a record of the collective that it costs, and one
// of the new communicator.
#pragma once

#include <functional>
#include <optional>

#include "odonata/trace/functions.hpp"
#include "preload/libmpi/core/communicators/comm.hpp"
#include "preload/libmpi/core/requests/request.hpp"

namespace odonata::libmpi {

using trace::Function;

[[nodiscard]] CommRef duplicate(Function function, Comm& parent);
/// Starts to duplicate; the request fills `duplicate`.
[[nodiscard]] RequestRef begin_duplicate(Function function, const CommRef& parent,
                                         const CommRef& duplicate);
/// The members with the same color, ordered by key; null for a rank without color.
[[nodiscard]] CommRef split(Function function, Comm& parent, std::optional<int> color, int key);
/// The members of a group; null on other ranks. All ranks of the parent call it.
[[nodiscard]] CommRef create(Function function, Comm& parent, const GroupRef& group);
/// The same; only the members call it.
[[nodiscard]] CommRef create_of_group(Function function, Comm& parent, const GroupRef& group,
                                      int tag);

/// A second communicator of the same members, for messages and collectives that must not match the
/// parent's. Members that give the same key get the same communicator, without communication.
[[nodiscard]] CommRef companion(Function function, Comm& parent, std::uint64_t key);

/// The connection of two groups: their leaders are both members of another communicator.
struct Bridge {
  Comm* peers = nullptr;  // null except at the leader
  int leader = 0;  // of the local group
  int remote_leader = 0;  // rank in `peers`
  int tag = 0;
};
[[nodiscard]] CommRef connect(Function function, Comm& local, const Bridge& bridge);
/// Both groups in one communicator; the group with `high` comes last.
[[nodiscard]] CommRef merge(Function function, Comm& intercomm, bool high);

/// Ranks of the parent in a new order: rank i is the parent's rank `order()[i]`. All ranks of the
/// parent are in the call when `order` is called. Null on ranks that the order does not list.
[[nodiscard]] CommRef reorder(Function function, Comm& parent,
                              const std::function<std::vector<int>()>& order);

/// The simulated node of a rank of the world.
[[nodiscard]] int node_of(std::int32_t world_rank);

}  // namespace odonata::libmpi
