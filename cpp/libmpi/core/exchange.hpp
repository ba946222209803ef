// Members tell each other a few bytes, without a record: how communicators are made.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "libmpi/core/comm.hpp"
#include "odonata/trace/functions.hpp"

namespace odonata::libmpi {

class Visit;

/// What every member said, in order of rank; of an intercommunicator, first the local group's
/// members, then the remote group's.
using Said = std::vector<std::vector<std::byte>>;

/// An exchange that has begun; for MPI_Comm_idup and the like. Counts as a collective.
class Exchange {
 public:
  /// `function` is named in the message when members call different functions.
  Exchange(Comm& comm, std::span<const std::byte> mine, trace::Function function);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] bool ready() const;
  /// A rank of the world that has not come yet, -1 if none.
  [[nodiscard]] std::int32_t missing() const;
  /// What everyone said; ready() is true.
  [[nodiscard]] Said said() const;

 private:
  void begin(std::uint64_t identity, std::uint64_t number, std::span<const std::byte> mine,
             trace::Function function);

  std::vector<std::int32_t> members_;  // one a seat
  std::vector<int> seats_;             // in the order of the answer
  std::unique_ptr<Visit> visit_;
};

/// Waits until all members have called it.
[[nodiscard]] Said exchange(Comm& comm, std::span<const std::byte> mine, trace::Function function);

/// Members of both groups of an intercommunicator in an order that both agree on; of another
/// communicator, its members.
[[nodiscard]] std::vector<std::int32_t> everyone(const Comm& comm);

}  // namespace odonata::libmpi
