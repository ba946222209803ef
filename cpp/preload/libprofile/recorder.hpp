// Recorder of a rank: notes the effects of its calls of MPI.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "odonata/profile/tally.hpp"
#include "odonata/trace/collectives.hpp"
#include "preload/libprofile/collected.hpp"
#include "preload/libprofile/communicators.hpp"
#include "preload/libprofile/journal.hpp"
#include "preload/libprofile/rank_file.hpp"
#include "preload/libprofile/real.hpp"
#include "preload/libprofile/ticks.hpp"

namespace odonata::libprofile {

/// A message that a rank sends, or that a persistent request starts.
struct Sent {
  std::int32_t to = trace::nobody;  // rank in the world
  std::int64_t bytes = 0;
};

class Recorder {
 public:
  /// Starts after MPI_Init; false if there can be no file.
  bool start(std::uint64_t began, bool counter, const TickLength& tick);
  /// The rank calls MPI_Finalize, or has.
  void stop();

  profile::Tally& tally() { return *tally_; }
  /// Records of single calls; null if they are only counted.
  [[nodiscard]] Journal* journal() { return journal_.get(); }

  [[nodiscard]] std::int64_t bytes(std::int64_t count, MPI_Datatype type) {
    return count * size_of(type);
  }
  [[nodiscard]] Comm& comm(MPI_Comm comm) { return communicators_.at(comm); }
  [[nodiscard]] Comm& comm_with_neighbors(MPI_Comm comm) {
    return communicators_.with_neighbors(comm);
  }
  void forget(MPI_Comm comm) { communicators_.forget(comm); }
  void forget_types();

  [[nodiscard]] Sent sent(std::int64_t count, MPI_Datatype type, int to, MPI_Comm comm);
  void note(Function function, const Sent& sent);
  void note(Function function, const Collected& collected);

  void keep(MPI_Request request, const Sent& sent, int partitions = 0);
  void keep(MPI_Request request, const Collected& collected);
  void drop(MPI_Request request) { persistent_.erase(bits_of(request)); }
  /// A persistent request starts.
  void begin(Function function, MPI_Request request);
  /// Some partitions of a message are ready.
  void ready(Function function, MPI_Request request, int partitions);

 private:
  struct Persistent {
    enum class What : std::uint8_t { message, partitions, collective } what{};
    Sent sent;
    Collected collected;
    int partitions = 0, missing = 0;
  };
  struct KnownType {
    std::uint64_t bits = ~std::uint64_t{0};
    std::int64_t size = 0;
  };

  [[nodiscard]] std::int64_t size_of(MPI_Datatype type);

  RankFile file_;
  std::unique_ptr<profile::Tally> tally_;
  Communicators communicators_;
  std::unique_ptr<Journal> journal_;
  std::unordered_map<std::uint64_t, Persistent> persistent_;
  KnownType types_[64];
  TickLength tick_;
  bool counter_ = false;
};

/// Recorder of this process; null when it records nothing.
extern Recorder* recorder;
/// Whether the counter of the processor is the clock.
extern bool counter;

/// Starts the recorder if the environment asks for one. `began`: ticks before MPI_Init.
void begin_recording(std::uint64_t began);
void end_recording();

}  // namespace odonata::libprofile
