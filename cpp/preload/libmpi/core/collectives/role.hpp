// The role of one rank in a collective: its contribution, the members that it waits for, and the
// data that it takes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "preload/libmpi/core/collectives/board.hpp"
#include "preload/libmpi/core/collectives/collective.hpp"

namespace odonata::libmpi {

/// Seats of a communicator's members: its ranks. In an intercommunicator both groups have seats;
/// the group whose first member has the lower rank in the world comes first.
struct Seats {
  explicit Seats(const Comm& comm);

  int num_seats = 0;  // of both groups of an intercommunicator
  int me = 0;
  int local = 0, num_local = 0;  // of my group: the first, and how many
  int peers = 0, num_peers = 0;  // of the group that roots and blocks count in
};

class Role {
 public:
  explicit Role(const CollectiveCall& call) : call_(call), seats_(*call.comm) {}
  virtual ~Role() = default;
  Role(const Role&) = delete;
  Role& operator=(const Role&) = delete;

  /// Size of this rank's contribution [B].
  [[nodiscard]] virtual std::size_t bytes() const { return 0; }
  virtual void bring(std::span<std::byte> /*contribution*/) const {}
  [[nodiscard]] virtual Arrival arrival() const { return {}; }
  /// Work that the last rank to arrive does for all.
  virtual void combine(Visit& /*visit*/) const {}
  virtual void take(const Visit& /*visit*/) const {}

  /// The seat of the root; -1 without a root or if this rank does not know it.
  [[nodiscard]] int root() const;
  [[nodiscard]] const Seats& seats() const { return seats_; }

 protected:
  [[nodiscard]] bool am_root() const { return root() == seats_.me; }
  /// Copies a contribution to the program's memory. Throws Error if it is too long.
  void unpack(std::span<const std::byte> from, int seat, const Elements& into) const;
  /// A seat's rank in its group, for messages.
  [[nodiscard]] int rank_of(int seat) const;

  const CollectiveCall& call_;
  Seats seats_;
};

/// The role of this rank in a call, which must outlive the role.
[[nodiscard]] std::unique_ptr<Role> make_role(const CollectiveCall& call);
[[nodiscard]] std::unique_ptr<Role> make_reduction(const CollectiveCall& call);
[[nodiscard]] std::unique_ptr<Role> make_neighborhood(const CollectiveCall& call);

void pack(const Elements& from, std::span<std::byte> to);

/// Throws Error for arguments that MPI does not allow.
void check(const CollectiveCall& call);

/// The record of a call, without its request.
[[nodiscard]] trace::Record record_of(const CollectiveCall& call);

}  // namespace odonata::libmpi
