// An allgather of a few bytes without a record, for the construction of communicators.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "odonata/trace/functions.hpp"
#include "preload/libmpi/core/communicators/comm.hpp"

namespace odonata::libmpi {

class Visit;

/// Contributions of all members, in order of rank. In an intercommunicator the local group comes
/// before the remote group.
using Said = std::vector<std::vector<std::byte>>;

/// An exchange that has begun, as MPI_Comm_idup needs it. It counts as a collective.
class Exchange {
 public:
  /// `function` is named in the message when members call different functions.
  Exchange(Comm& comm, std::span<const std::byte> mine, trace::Function function);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] bool ready() const;
  /// A rank of the world that has not arrived, or -1.
  [[nodiscard]] std::int32_t missing() const;
  /// Returns when ready() is true; `comm` is the number of the communicator.
  void wait(trace::Function function, std::uint32_t comm) const;
  /// Contributions of all members. Called when ready() is true.
  [[nodiscard]] Said said() const;
  /// The contribution of one member, by its place in said(). All members at once take memory that
  /// grows with the square of the ranks where each rank reads them.
  [[nodiscard]] std::vector<std::byte> said_by(std::size_t place) const;

 private:
  void begin(std::uint64_t identity, std::uint64_t number, std::span<const std::byte> mine,
             trace::Function function);

  [[nodiscard]] std::span<const std::int32_t> members() const;  // one a seat
  [[nodiscard]] int seat_of(std::size_t place) const;

  GroupRef group_;
  std::vector<std::int32_t> both_;  // groups of an intercommunicator
  std::size_t first_seat_ = 0;      // of the local group
  std::unique_ptr<Visit> visit_;
};

/// Exchanges and waits for all members.
[[nodiscard]] Said exchange(Comm& comm, std::span<const std::byte> mine, trace::Function function);

/// Members of a communicator; of an intercommunicator the members of both groups, in an order that
/// both groups agree on.
[[nodiscard]] std::vector<std::int32_t> everyone(const Comm& comm);

}  // namespace odonata::libmpi
