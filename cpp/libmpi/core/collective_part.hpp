// One rank's part in a collective: what it brings, whom it waits for, what it takes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "libmpi/core/board.hpp"
#include "libmpi/core/collective.hpp"

namespace odonata::libmpi {

/// Seats of a communicator's members: its ranks; in an intercommunicator both groups, that of the
/// smaller first member before the other.
struct Seats {
  explicit Seats(const Comm& comm);

  int num_seats = 0;  // of both groups of an intercommunicator
  int me = 0;
  int local = 0, num_local = 0;  // of my group: the first, and how many
  int peers = 0, num_peers = 0;  // of the group that roots and blocks count in
};

class Part {
 public:
  explicit Part(const CollectiveCall& call) : call_(call), seats_(*call.comm) {}
  virtual ~Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// What this rank brings.
  [[nodiscard]] virtual std::size_t bytes() const { return 0; }
  virtual void bring(std::span<std::byte> /*contribution*/) const {}
  [[nodiscard]] virtual Arrival arrival() const { return {}; }
  /// What the last one to come does for all.
  virtual void combine(Visit& /*visit*/) const {}
  virtual void take(const Visit& /*visit*/) const {}

  /// The seat of the root; -1 if there is none, or it is not known here.
  [[nodiscard]] int root() const;
  [[nodiscard]] const Seats& seats() const { return seats_; }

 protected:
  [[nodiscard]] bool am_root() const { return root() == seats_.me; }
  /// Copies a contribution to the program's memory; Error if it is longer.
  void unpack(std::span<const std::byte> from, int seat, const Elements& into) const;
  /// A seat's rank in its group, for messages.
  [[nodiscard]] int rank_of(int seat) const;

  const CollectiveCall& call_;
  Seats seats_;
};

/// The part for a call, which must outlive it.
[[nodiscard]] std::unique_ptr<Part> make_part(const CollectiveCall& call);
[[nodiscard]] std::unique_ptr<Part> make_reduction(const CollectiveCall& call);
[[nodiscard]] std::unique_ptr<Part> make_neighborhood(const CollectiveCall& call);

void pack(const Elements& from, std::span<std::byte> to);

[[nodiscard]] bool is_rooted(trace::Collective kind);
/// Throws Error for arguments that MPI does not allow.
void check(const CollectiveCall& call);

/// The record of a call, without its request.
[[nodiscard]] trace::Record record_of(const CollectiveCall& call);

}  // namespace odonata::libmpi
