// Objects that a rank program waits for with co_await.
#pragma once

#include <array>
#include <span>

#include "odonata/mpi/transport.hpp"

namespace odonata {

/// Waits for one or two requests; they are spent afterwards. It stands in the frame of whoever
/// waits, so it is small.
class Wait {
 public:
  Wait(Requests& all, CoroutineId coroutine, Request one, Request two)
      : all_(all), coroutine_(coroutine), requests_{one, two} {}

  bool await_ready() { return all_.prepare_wait(coroutine_, requests_); }
  void await_suspend(std::coroutine_handle<> waiting) { all_.suspend(coroutine_, waiting); }
  /// Result of the first request.
  Status await_resume() {
    const Status first = all_.retire(requests_[0]);
    all_.retire(requests_[1]);
    return first;
  }

 private:
  Requests& all_;
  CoroutineId coroutine_;
  std::array<Request, 2> requests_;
};

/// Waits for any number of requests; they are spent afterwards.
class WaitAll {
 public:
  WaitAll(Requests& all, CoroutineId coroutine, std::span<const Request> requests)
      : all_(all), coroutine_(coroutine), requests_(requests) {}

  bool await_ready() { return all_.prepare_wait(coroutine_, requests_); }
  void await_suspend(std::coroutine_handle<> waiting) { all_.suspend(coroutine_, waiting); }
  /// Result of the first request.
  Status await_resume() {
    Status first;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const Status status = all_.retire(requests_[i]);
      if (i == 0) first = status;
    }
    return first;
  }

 private:
  Requests& all_;
  CoroutineId coroutine_;
  std::span<const Request> requests_;
};

/// Waits until all of the requests are complete, or any of them is; they are not spent.
class Completion {
 public:
  enum class Of : std::uint8_t { all, any };

  Completion(Requests& all, CoroutineId coroutine, std::span<const Request> requests, Of of)
      : all_(all), coroutine_(coroutine), of_(of), requests_(requests) {}

  bool await_ready() {
    return of_ == Of::all ? all_.prepare_wait(coroutine_, requests_)
                          : all_.prepare_wait_any(coroutine_, requests_);
  }
  void await_suspend(std::coroutine_handle<> waiting) { all_.suspend(coroutine_, waiting); }
  void await_resume() {
    if (of_ == Of::any) all_.stop_waiting(requests_);
  }

 private:
  Requests& all_;
  CoroutineId coroutine_;
  Of of_;
  std::span<const Request> requests_;
};

/// Waits until a message has come that such a receive would take, and leaves it there.
class Probe {
 public:
  Probe(Transport& transport, std::int32_t rank, const Envelope& wanted)
      : transport_(transport), rank_(rank), wanted_(wanted) {}

  [[nodiscard]] bool await_ready() const { return transport_.iprobe(rank_, wanted_).has_value(); }
  void await_suspend(std::coroutine_handle<> waiting) {
    transport_.suspend_until(rank_, wanted_, waiting);
  }
  [[nodiscard]] Status await_resume() const { return *transport_.iprobe(rank_, wanted_); }

 private:
  Transport& transport_;
  std::int32_t rank_;
  Envelope wanted_;
};

/// Waits until fewer messages without a receive than this are under way.
class Room {
 public:
  Room(Transport& transport, std::int32_t rank, std::uint32_t most)
      : transport_(transport), rank_(rank), most_(most) {}

  [[nodiscard]] bool await_ready() const { return transport_.num_datagrams(rank_) < most_; }
  void await_suspend(std::coroutine_handle<> waiting) {
    transport_.suspend_until_room(rank_, waiting);
  }
  void await_resume() const {}

 private:
  Transport& transport_;
  std::int32_t rank_;
  std::uint32_t most_;
};

/// Resumes at a later time.
class Sleep {
 public:
  Sleep(Coroutines& coroutines, CoroutineId coroutine, Time until)
      : coroutines_(coroutines), coroutine_(coroutine), until_(until) {}
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    coroutines_.resume_at(coroutine_, until_, waiting);
  }
  void await_resume() const {}

 private:
  Coroutines& coroutines_;
  CoroutineId coroutine_;
  Time until_;
};

}  // namespace odonata
