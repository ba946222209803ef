#include "preload/libmpi/core/point_to_point/bsend_buffer.hpp"

#include <algorithm>
#include <string>

#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/processes/process.hpp"
#include "preload/libmpi/core/requests/wait.hpp"

namespace odonata::libmpi {

namespace {

// A message to the rank itself never enters the network: it stays until it is received.
trace::Mode mode_to(const Peer& to) {
  const std::vector<std::int32_t>& members = to.comm->peers().members;
  const bool to_itself = members[to.rank] == self().endpoint->rank();
  return to_itself ? trace::Mode::synchronous : trace::Mode::standard;
}

}  // namespace

bool BsendBuffer::has_room(std::int64_t bytes) const {
  return bytes_ == unlimited || bytes <= bytes_ - used_;
}

std::vector<RequestRef> BsendBuffer::sends() const {
  std::vector<RequestRef> requests;
  requests.reserve(messages_.size());
  for (const Message& message : messages_) requests.push_back(message.send);
  return requests;
}

void BsendBuffer::forget_those_that_left() {
  std::erase_if(messages_, [this](const Message& message) {
    if (message.send->active) return false;
    used_ -= message.bytes;
    return true;
  });
}

void BsendBuffer::look(Function function) {
  static_cast<void>(test_some(function, sends()));
  forget_those_that_left();
  enough_ = std::max<std::size_t>(1'024, 2 * messages_.size());
}

// The simulator is asked which messages have left only if the buffer is full.
void BsendBuffer::send(Function function, const Buffer& from, const Peer& to) {
  const std::int64_t payload = from.count * from.type->size();
  const std::int64_t bytes = payload + overhead_;
  if (!has_room(bytes) || messages_.size() >= enough_) look(function);
  if (!has_room(bytes))
    throw Error{ErrorClass::buffer, "a message of " + std::to_string(payload) +
                                        " bytes does not fit into the attached buffer of " +
                                        std::to_string(bytes_) + " bytes, of which " +
                                        std::to_string(used_) + " are in use"};
  messages_.push_back({isend(function, from, to, mode_to(to)), bytes});
  used_ += bytes;
}

bool BsendBuffer::empty(Function function) {
  if (messages_.empty()) return true;
  look(function);
  return messages_.empty();
}

void BsendBuffer::flush(Function function) {
  wait_all(function, sends());
  forget_those_that_left();
}

}  // namespace odonata::libmpi
