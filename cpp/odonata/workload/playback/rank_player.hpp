// Plays the calls of one rank.
#pragma once

#include <vector>

#include "odonata/workload/playback/communicators.hpp"
#include "odonata/workload/playback/players.hpp"
#include "odonata/workload/playback/requests.hpp"

namespace odonata::playback {

class RankPlayer {
 public:
  RankPlayer(const Rank& rank, Players& players);

  /// The rank's next call; false after the last.
  [[nodiscard]] bool next(trace::Record& record);
  /// Passes over tests and probes of which the rank knows that they find nothing, up to the last
  /// one that has come: `record` is the first and becomes the last. The time [ps] that they take.
  [[nodiscard]] Time pass(trace::Record& record);
  /// Processor time before the call [ps].
  [[nodiscard]] Time compute_before(const trace::Call& call) const;

  /// Notes that the call begins, or is over.
  void enter(const trace::Record& record);
  void leave(const trace::Record& record);

  // A call that waits for messages, if at all:
  //
  //     start(record); co_await rank.complete_all(waiting()); finish(record);
  [[nodiscard]] static bool is_plain(trace::Op op);
  void start(const trace::Record& record);
  [[nodiscard]] std::span<const Request> waiting() const { return waiting_; }
  void finish(const trace::Record& record);

  /// Tells the rank that its poll finds nothing, before it has paid for it.
  void answer_poll_early() const;

  /// Any other call.
  [[nodiscard]] Task perform(const trace::Record& record);

 private:
  // An operation that the call at hand completes.
  struct Item {
    std::uint32_t index = 0;   // in the call's list
    std::uint32_t number = trace::no_request;
    Open open;
  };
  struct Span {
    Time begin, end;  // [ps]
  };

  Task complete_some(const trace::Record& record);
  Task test(const trace::Record& record);
  Task probe(const trace::Record& record);
  Task iprobe(const trace::Record& record);
  Task collective(const trace::Record& record);
  Task clock(const trace::Record& record);

  Open send(const trace::Record& record, const trace::Send& call);
  Open receive(const trace::Record& record, std::int32_t peer, std::int32_t tag);
  Open receive_matched(std::uint32_t number);
  void start_collective(const trace::Record& record);
  Task make_collective(const Rank& group, const trace::Record& record);
  void cancel(const trace::Record& record);

  void add(const Open& open, std::uint32_t index = 0, std::uint32_t number = trace::no_request);
  void add_listed(const trace::Record& record);
  void keep_found(const trace::Record& record);
  void keep_done(std::size_t most);
  void count(const trace::Call& call);
  void add_time(const trace::Call& call, Time duration);
  void watch(const trace::Call& call, std::span<const std::uint64_t> words, trace::Found found,
             Span time) const;
  void answer(const trace::Record& record, bool flag);
  [[nodiscard]] trace::Found found_in(const trace::Record& record) const;
  void begin_poll(Time cost);
  void end_poll(const trace::Record& record);
  void give_lookahead(const trace::Record& record);
  void count_question(bool question);
  [[nodiscard]] bool undisturbed() const { return requests_.none() && !sent_buffered_; }
  void answer_message(const trace::Record& record, const Status& status);
  [[nodiscard]] bool finds(const trace::Record& record);
  [[nodiscard]] Envelope wanted(const trace::Record& record, std::int32_t peer,
                                std::int32_t tag) const;
  [[nodiscard]] trace::Outcome outcome(const Item& item, const Status& status) const;

  Rank rank_;
  Players& players_;
  std::int32_t first_;  // world number of the job's rank 0
  Communicators communicators_;
  Requests requests_;
  std::uint32_t num_sent_ = 0;    // messages
  std::vector<Item> items_;       // of the call at hand
  std::vector<Request> waiting_;  // theirs
  trace::Answer answer_;
  std::uint32_t touches_ = 0;     // of the rank, when a test or probe found nothing
  bool sent_buffered_ = false;    // a message whose data may leave after its call
  bool asked_ = false;            // the last call was a question
  int asked_again_ = 0;  // questions right after another one, until ranks have lookahead
  Time poll_ends_ = 0;  // [ps]
  Time entered_ = 0;  // [ps]
  RankPlay* statistics_ = nullptr;
};

}  // namespace odonata::playback
