// Requests of sends and receives.
#pragma once

#include <optional>

#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/point_to_point/message_queues.hpp"
#include "preload/libmpi/core/point_to_point/point_to_point.hpp"

namespace odonata::libmpi {

/// A send: its data are copied when it starts, so it never waits in real time.
class SendRequest final : public Request {
 public:
  SendRequest(Buffer from, Peer to, trace::Mode mode);
  SendRequest(const SendRequest&) = delete;
  SendRequest& operator=(const SendRequest&) = delete;
  ~SendRequest() override;

  void begin(Function function);
  [[nodiscard]] bool ready() override { return true; }
  void finish() override {}
  void start(Function function) override { begin(function); }

 private:
  Buffer from_;
  Peer to_;
  trace::Mode mode_;
};

class ReceiveRequest final : public Request {
 public:
  ReceiveRequest(Buffer into, Peer source);
  ReceiveRequest(const ReceiveRequest&) = delete;
  ReceiveRequest& operator=(const ReceiveRequest&) = delete;
  ~ReceiveRequest() override;

  /// Takes an unexpected message or posts the receive, without a record.
  void post();
  void begin(Function function);
  /// Takes a message that a matched probe returned.
  void take(Offset mail) { mail_ = mail; }
  [[nodiscard]] bool ready() override;
  void finish() override;
  [[nodiscard]] bool undecided() const override { return undecided_; }
  void decide(const trace::Outcome& outcome) override;
  void start(Function function) override { begin(function); }
  void cancel(Function function);
  [[nodiscard]] live::Waiting waiting() const override;

  [[nodiscard]] const Envelope& envelope() const { return envelope_; }
  [[nodiscard]] Offset mail() const { return mail_; }
  [[nodiscard]] trace::Call call(Function function, trace::Op op) const;

 private:
  void settle();

  Buffer into_;
  Peer source_;
  Envelope envelope_;
  Offset mail_ = 0;
  bool undecided_ = false, posted_ = false;
};

/// Copies a message into shared memory and puts it into the receiver's mailbox.
void deliver(const Buffer& from, const Peer& to);
/// The record of a send.
[[nodiscard]] trace::Call send_call(Function function, trace::Op op, const Buffer& from,
                                    const Peer& to, trace::Mode mode);
/// Status of a message, in ranks of a communicator.
[[nodiscard]] Status status_of(const live::Mail& mail, const Comm& comm);
[[nodiscard]] Envelope envelope_of(const Peer& source);

}  // namespace odonata::libmpi
