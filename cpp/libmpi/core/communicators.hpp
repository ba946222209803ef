// Making communicators of others. Each call is noted as the collective that it costs, and what it
// makes as a record of its own.
#pragma once

#include <optional>
#include <span>

#include "libmpi/core/comm.hpp"
#include "libmpi/core/request.hpp"
#include "odonata/trace/functions.hpp"

namespace odonata::libmpi {

using trace::Function;

[[nodiscard]] CommRef duplicate(Function function, Comm& parent);
/// The request fills the communicator.
[[nodiscard]] RequestRef begin_duplicate(Function function, const CommRef& parent,
                                         const CommRef& duplicate);
/// Members of the same color, by key; null without a color.
[[nodiscard]] CommRef split(Function function, Comm& parent, std::optional<int> color, int key);
/// The members of a group; null where this rank is none of them. All of the parent call it.
[[nodiscard]] CommRef create(Function function, Comm& parent, const GroupRef& group);
/// Only the members call it.
[[nodiscard]] CommRef create_of_group(Function function, Comm& parent, const GroupRef& group,
                                      int tag);

/// The same members once more, for what must not meet the messages and collectives of the parent.
/// Members that give the same key get the same one; they need no word with each other for it.
[[nodiscard]] CommRef companion(Function function, Comm& parent, std::uint64_t key);

/// How two groups find each other: their leaders know each other in another communicator.
struct Bridge {
  Comm* peers = nullptr;  // null except at the leader
  int leader = 0;         // of the local group
  int remote_leader = 0;  // rank in `peers`
  int tag = 0;
};
[[nodiscard]] CommRef connect(Function function, Comm& local, const Bridge& bridge);
/// Both groups in one, that which says `high` last.
[[nodiscard]] CommRef merge(Function function, Comm& intercomm, bool high);

/// The first ranks of the parent in a new order: rank i becomes what was rank order[i]; null where
/// this rank is not among them.
[[nodiscard]] CommRef reorder(Function function, Comm& parent, std::span<const int> order);

/// The number of the simulated node that a rank of the world is on.
[[nodiscard]] int node_of(std::int32_t world_rank);

}  // namespace odonata::libmpi
