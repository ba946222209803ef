// Each wait or test writes one record for all its requests, and takes the data of the requests that
// it completes.
#include "preload/libmpi/core/requests/wait.hpp"

#include <algorithm>
#include <functional>

#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

using trace::Answer;
using trace::Call;
using trace::Op;

namespace {

// The active requests of a call, which its record lists.
struct Pending {
  explicit Pending(std::span<const RequestRef> requests) : all(requests) {
    places.reserve(requests.size());
    numbers.reserve(requests.size());
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!requests[i] || !requests[i]->active) continue;
      places.push_back(static_cast<int>(i));
      numbers.push_back(requests[i]->number);
    }
  }
  [[nodiscard]] Request& at(std::size_t i) const { return *all[places[i]]; }
  [[nodiscard]] bool undecided() const {
    return std::any_of(places.begin(), places.end(),
                       [this](int place) { return all[place]->undecided(); });
  }

  std::span<const RequestRef> all;
  std::vector<int> places;
  std::vector<std::uint64_t> numbers;
};

// Waits for the data of a request that is complete in simulated time, and takes these data.
void finish(Function function, Request& request) {
  live::Waiting what = request.waiting();
  what.function = static_cast<std::uint16_t>(function);
  self().endpoint->wait(what, [&] { return request.ready(); });
  request.active = false;
  request.status.error = 0;
  request.finish();
}

// The same for `count` requests; `nth(k)` is the place of the k-th. Every request keeps its own
// error.
template <class Nth>
void finish_some(Function function, const Pending& pending, std::size_t count, Nth nth) {
  std::optional<Error> first;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = nth(k);
    try {
      finish(function, pending.at(i));
    } catch (const Error& error) {
      pending.at(i).status.error = static_cast<int>(error.error_class);
      if (!first) first = error;
    }
  }
  if (!first) return;
  if (pending.all.size() > 1) first->error_class = ErrorClass::in_status;
  throw *first;
}

std::vector<std::uint32_t> decide(const Pending& pending, const Answer& answer) {
  std::vector<std::uint32_t> which;
  for (const trace::Outcome& outcome : answer.outcomes) {
    pending.at(outcome.index).decide(outcome);
    which.push_back(outcome.index);
  }
  return which;
}

// Completes the requests that are complete in simulated time, and returns their indices.
std::vector<int> ask_some(Function function, Op op, const Pending& pending, Answer& answer) {
  answer = self().endpoint->ask(call_of(function, op), pending.numbers);
  if (answer.flag == 0 && answer.outcomes.empty()) return {};
  const std::vector<std::uint32_t> which = decide(pending, answer);
  finish_some(function, pending, which.size(), [&](std::size_t k) { return which[k]; });
  std::vector<int> places;
  for (const std::uint32_t i : which) places.push_back(pending.places[i]);
  return places;
}

void finish_all(Function function, const Pending& pending) {
  finish_some(function, pending, pending.numbers.size(), std::identity{});
}

}  // namespace

void start(Function function, std::span<const RequestRef> requests) {
  for (const RequestRef& request : requests) request->start(function);
}

void wait_all(Function function, std::span<const RequestRef> requests) {
  const Pending pending(requests);
  if (pending.numbers.empty()) return;
  Call call = call_of(function, Op::wait);
  std::span<const std::uint64_t> words = pending.numbers;
  if (words.size() == 1) {
    call.request = static_cast<std::uint32_t>(words.front());
    words = {};
  }
  if (pending.undecided())
    decide(pending, self().endpoint->ask(call, words));
  else
    self().endpoint->report(call, words);
  finish_all(function, pending);
}

std::optional<int> wait_any(Function function, std::span<const RequestRef> requests) {
  const Pending pending(requests);
  if (pending.numbers.empty()) return std::nullopt;
  Answer answer;
  return ask_some(function, Op::wait_any, pending, answer).at(0);
}

std::vector<int> wait_some(Function function, std::span<const RequestRef> requests) {
  const Pending pending(requests);
  if (pending.numbers.empty()) return {};
  Answer answer;
  return ask_some(function, Op::wait_some, pending, answer);
}

bool test_all(Function function, std::span<const RequestRef> requests) {
  const Pending pending(requests);
  if (pending.numbers.empty()) return true;
  const Answer answer = self().endpoint->ask(call_of(function, Op::test), pending.numbers);
  if (answer.flag == 0) return false;
  decide(pending, answer);
  finish_all(function, pending);
  return true;
}

std::optional<int> test_any(Function function, std::span<const RequestRef> requests,
                            bool& has_active) {
  const Pending pending(requests);
  has_active = !pending.numbers.empty();
  if (!has_active) return std::nullopt;
  Answer answer;
  const std::vector<int> places = ask_some(function, Op::test_any, pending, answer);
  return places.empty() ? std::nullopt : std::optional(places.front());
}

std::vector<int> test_some(Function function, std::span<const RequestRef> requests) {
  const Pending pending(requests);
  if (pending.numbers.empty()) return {};
  Answer answer;
  return ask_some(function, Op::test_some, pending, answer);
}

}  // namespace odonata::libmpi
