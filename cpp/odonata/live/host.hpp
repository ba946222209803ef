// Hosts of the ranks of a program: processes of their own, or fibers of this one.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "odonata/live/memory.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::live {

/// A rank ended the run: it crashed, aborted, or left without MPI_Finalize.
class RankFailed : public std::runtime_error {
 public:
  RankFailed(int failed_rank, int code, const std::string& why, bool said_why = false)
      : std::runtime_error(why), rank(failed_rank), exit_code(code), said(said_why) {}

  int rank;
  int exit_code;  // for the whole run
  bool said;      // the rank has told standard error why
};

class Host {
 public:
  virtual ~Host() = default;

  /// Lets ranks run until the simulator's bell is no longer `seen`, or for a while. False if that
  /// can never be: nothing runs any more.
  virtual bool run(int wanted, std::uint32_t seen, int milliseconds) = 0;
  /// Do ranks take turns? Then nothing is gained by letting some far ahead while others can
  /// continue.
  [[nodiscard]] virtual bool takes_turns() const = 0;
  /// Lets a rank run that has been taken out of its sleep.
  virtual void wake(int rank) = 0;
  /// Throws RankFailed if a rank has ended as it should not.
  virtual void check() = 0;
  /// Processor time of a rank [s]; negative where it cannot be told.
  [[nodiscard]] virtual double processor_seconds(int /*rank*/) const { return -1; }
  /// Has this rank ended, so that nothing more will come from it?
  [[nodiscard]] virtual bool gone(int rank) const = 0;
};

/// Throws NoMpiError if all ranks have ended and none has ever called MPI.
inline void require_mpi(const Memory& memory) {
  if (memory.used()) return;
  throw NoMpiError(
      "no rank called MPI_Init of our library: there is nothing to simulate (is it an MPI program, "
      "linked with a shared libmpi?)");
}

}  // namespace odonata::live
