// Communicators as the recorder needs them: ranks in the world, neighbours. No message is sent.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "preload/libprofile/handles.hpp"

namespace odonata::libprofile {

struct Comm {
  bool inter = false;
  std::int32_t rank = 0;     // in its own group
  std::int32_t num_local = 1;
  std::int32_t num_peers = 1;  // that it sends to: of the remote group of an intercommunicator
  std::vector<std::int32_t> peers;  // their ranks in the world
  std::vector<std::int32_t> sources, destinations;  // neighbours, which may be MPI_PROC_NULL
  bool knows_neighbors = false;

  // In a trace.
  static constexpr std::uint32_t unnumbered = ~0U;
  std::uint32_t number = unnumbered;
  std::uint64_t identity = 0;
  std::uint64_t num_made = 0, num_persistent = 0;  // communicators and collectives made of it
  std::uint32_t partitioned = unnumbered;          // companion for partitioned messages
  std::vector<std::int32_t> locals;  // of an intercommunicator: ranks in the world of its own group
  std::shared_ptr<const std::vector<std::int32_t>> known_peers;  // as long as requests need them

  [[nodiscard]] const std::vector<std::int32_t>& group() const { return inter ? locals : peers; }

  [[nodiscard]] std::uint32_t num_members() const {
    return static_cast<std::uint32_t>(inter ? num_local + num_peers : num_local);
  }
};

class Communicators {
 public:
  /// Begins anew: the world has just come to be.
  void start();
  [[nodiscard]] Comm& at(MPI_Comm comm);
  /// The same with its neighbours.
  [[nodiscard]] Comm& with_neighbors(MPI_Comm comm);
  /// Ranks of a group in the world.
  [[nodiscard]] std::vector<std::int32_t> in_world(MPI_Group group) const;
  /// The handle may come to mean another one.
  void forget(MPI_Comm comm);

 private:
  [[nodiscard]] Comm look_up(MPI_Comm comm) const;

  MPI_Group world_{};
  std::unordered_map<std::uint64_t, Comm> known_;
  std::uint64_t recent_bits_ = 0;
  Comm* recent_ = nullptr;
};

}  // namespace odonata::libprofile
