// Requests of a rank, by handle, with the numbers that records have for them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "odonata/trace/call.hpp"
#include "preload/libprofile/handles.hpp"

namespace odonata::libprofile {

enum class Kind : std::uint8_t { send, receive, collective, duplicate, partitions };

struct Tracked {
  Kind kind{};
  bool persistent = false, active = true;
  bool settled = false;    // a call has found it complete, and the handle still stands
  bool undecided = false;  // a receive whose message depends on time
  bool cancelling = false;
  std::uint32_t number = trace::no_request;  // in records
  std::int64_t opened = -1;                  // number of the irecv among the rank's records
  trace::Call call;                          // that starts it
  std::vector<std::uint64_t> words;
  std::shared_ptr<const std::vector<std::int32_t>> peers;  // ranks in the world; null: the world
  std::uint64_t cancel_place = 0;  // [B] of the record of MPI_Cancel in the log
  int partitions = 0, missing = 0;
  MPI_Comm made{};  // by MPI_Comm_idup
  std::uint64_t identity = 0;
  std::uint32_t comm_number = 0;
  // Fields of the table.
  std::uint64_t handle = 0;
  std::uint32_t place = 0;
  bool listed = false;
};

/// The requests of a call, by place; null where the recorder knows none.
struct Listed {
  std::vector<Tracked*> requests;
  std::vector<MPI_Status> statuses;  // where the program ignores them

  [[nodiscard]] Tracked* at(int place) const {
    const auto i = static_cast<std::size_t>(place);
    return i < requests.size() ? requests[i] : nullptr;
  }
};

class Requests {
 public:
  Tracked& add(MPI_Request handle);
  /// Forgets a request whose handle is gone.
  void remove(Tracked& request);
  /// Requests with these handles, each at most once: an MPI may give one handle to many requests
  /// that are complete already.
  [[nodiscard]] Listed list(int count, const MPI_Request* handles);
  [[nodiscard]] Tracked* find(MPI_Request handle);

  [[nodiscard]] std::uint32_t take_number();
  /// The next request may have it.
  void give_back(std::uint32_t number) {
    if (number != trace::no_request) free_numbers_.push_back(number);
  }

 private:
  std::deque<Tracked> all_;
  std::vector<std::uint32_t> free_places_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_handle_;
  std::vector<std::uint32_t> free_numbers_;
  std::uint32_t num_taken_ = 0;
};

}  // namespace odonata::libprofile
