// The requests of one rank of a DUMPI trace.
#pragma once

#include <optional>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "odonata/trace/call.hpp"

namespace odonata::interchange::dumpi {

/// Message of a receive that named only a part of it; -1 where not known.
struct Found {
  std::int32_t source = trace::any;  // nobody: MPI_PROC_NULL
  std::int32_t tag = trace::any;
};

/// Requests by their number in the file, with ours: from 1, taken again when free. A number of the
/// file may mean another request when it is opened again.
class Requests {
 public:
  static constexpr std::int64_t first = 2;  // before it are the error and the null request

  struct Request {
    std::uint32_t number = 0;  // ours; 0: not active
    std::int64_t learns = -1;  // place of the message of a receive from anything
    std::optional<trace::Call> persistent;
  };

  /// Opens a request and returns our number; one that is still open was freed or completed unseen.
  std::uint32_t open(std::int64_t request, std::int64_t learns);
  /// Keeps a persistent call under a request.
  void keep(std::int64_t request, const trace::Call& call);
  /// Nothing if no call has opened or kept it.
  [[nodiscard]] Request* find(std::int64_t request);
  /// Frees our number; a persistent request stays.
  void close(std::int64_t request);
  /// The number in the file means nothing any more; ours stays in use.
  void forget(std::int64_t request) { all_.erase(request); }

  /// Reserves a place for the message of a receive from anything.
  std::int64_t learn_later(bool source, bool tag);
  void learn(std::int64_t place, std::int64_t source, std::int64_t tag, std::uint32_t num_ranks);
  [[nodiscard]] std::vector<Found> learnt() const { return learnt_; }

 private:
  struct Wanted {
    bool source, tag;
  };

  std::unordered_map<std::int64_t, Request> all_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
  std::uint32_t most_ = 0;
  std::vector<Found> learnt_;
  std::vector<Wanted> wanted_;
};

}  // namespace odonata::interchange::dumpi
