// Buffers that the program attaches for buffered sends.
//
// The data are in shared memory. A message still occupies the buffer until it has left in simulated
// time, as it does in other libraries.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "preload/libmpi/core/point_to_point/point_to_point.hpp"

namespace odonata::libmpi {

class BsendBuffer {
 public:
  static constexpr std::int64_t unlimited = -1;  // the library's own memory, as it needs it

  /// `overhead` of each message is MPI_BSEND_OVERHEAD [B].
  BsendBuffer(void* data, std::int64_t bytes, std::int64_t overhead)
      : data_(data), bytes_(bytes), overhead_(overhead) {}

  /// Sends a message. Throws Error if the buffer has no room for it.
  void send(Function function, const Buffer& from, const Peer& to);
  /// Have all messages left at the present simulated time?
  [[nodiscard]] bool empty(Function function);
  /// Waits until all messages have left.
  void flush(Function function);

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_ == unlimited ? 0 : bytes_; }

 private:
  struct Message {
    RequestRef send;
    std::int64_t bytes = 0;  // with its overhead
  };

  [[nodiscard]] bool has_room(std::int64_t bytes) const;
  [[nodiscard]] std::vector<RequestRef> sends() const;
  void look(Function function);
  void forget_those_that_left();

  void* data_;
  std::int64_t bytes_, overhead_;
  std::int64_t used_ = 0;  // [B] by all that is not known to have left
  std::vector<Message> messages_;
  std::size_t enough_ = 1'024;  // so many are looked through: the list stays short
};
using BsendBufferRef = std::shared_ptr<BsendBuffer>;

}  // namespace odonata::libmpi
