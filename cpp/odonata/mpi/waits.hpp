// What a rank program waits for with co_await.
#pragma once

#include <array>
#include <span>

#include "odonata/mpi/world.hpp"

namespace odonata {

/// Waits for one or two requests; they are spent afterwards. It stands in the frame of whoever
/// waits, so it is small.
class Wait {
 public:
  Wait(World& world, Strand strand, Request one, Request two)
      : world_(world), strand_(strand), requests_{one, two} {}

  bool await_ready() { return world_.prepare_wait(strand_, requests_); }
  void await_suspend(std::coroutine_handle<> waiting) { world_.suspend(strand_, waiting); }
  /// What the first of the requests found.
  Status await_resume() {
    const Status first = world_.retire(requests_[0]);
    world_.retire(requests_[1]);
    return first;
  }

 private:
  World& world_;
  Strand strand_;
  std::array<Request, 2> requests_;
};

/// Waits for any number of requests; they are spent afterwards.
class WaitAll {
 public:
  WaitAll(World& world, Strand strand, std::span<const Request> requests)
      : world_(world), strand_(strand), requests_(requests) {}

  bool await_ready() { return world_.prepare_wait(strand_, requests_); }
  void await_suspend(std::coroutine_handle<> waiting) { world_.suspend(strand_, waiting); }
  /// What the first of the requests found.
  Status await_resume() {
    Status first;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      const Status status = world_.retire(requests_[i]);
      if (i == 0) first = status;
    }
    return first;
  }

 private:
  World& world_;
  Strand strand_;
  std::span<const Request> requests_;
};

/// Waits until all of the requests are complete, or any of them is; they are not spent.
class Completion {
 public:
  enum class Of : std::uint8_t { all, any };

  Completion(World& world, Strand strand, std::span<const Request> requests, Of of)
      : world_(world), strand_(strand), of_(of), requests_(requests) {}

  bool await_ready() {
    return of_ == Of::all ? world_.prepare_wait(strand_, requests_)
                          : world_.prepare_wait_any(strand_, requests_);
  }
  void await_suspend(std::coroutine_handle<> waiting) { world_.suspend(strand_, waiting); }
  void await_resume() {
    if (of_ == Of::any) world_.stop_waiting(requests_);
  }

 private:
  World& world_;
  Strand strand_;
  Of of_;
  std::span<const Request> requests_;
};

/// Waits until a message has come that such a receive would take, and leaves it there.
class Probe {
 public:
  Probe(World& world, std::int32_t rank, const Envelope& wanted)
      : world_(world), rank_(rank), wanted_(wanted) {}

  [[nodiscard]] bool await_ready() const { return world_.probe(rank_, wanted_).has_value(); }
  void await_suspend(std::coroutine_handle<> waiting) {
    world_.suspend_until(rank_, wanted_, waiting);
  }
  [[nodiscard]] Status await_resume() const { return *world_.probe(rank_, wanted_); }

 private:
  World& world_;
  std::int32_t rank_;
  Envelope wanted_;
};

/// Goes on at a later time.
class Sleep {
 public:
  Sleep(World& world, Strand strand, Time until) : world_(world), strand_(strand), until_(until) {}
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiting) {
    world_.resume_at(strand_, until_, waiting);
  }
  void await_resume() const {}

 private:
  World& world_;
  Strand strand_;
  Time until_;
};

}  // namespace odonata
