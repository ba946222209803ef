#include "preload/libmpi/api/requests/request_list.hpp"

#include <algorithm>
#include <functional>

#include "preload/libmpi/api/requests/orphans.hpp"
#include "preload/libmpi/api/requests/own_request.hpp"
#include "preload/libmpi/core/requests/wait.hpp"

namespace odonata::libmpi::api {

RequestList::RequestList(int count, MPI_Request* handles, MPI_Status* statuses, Statuses layout)
    : statuses_(statuses), layout_(layout) {
  if (count < 0) throw Error{ErrorClass::count, "the count is " + std::to_string(count)};
  require(count == 0 || handles != nullptr, ErrorClass::arg, "the requests are a null pointer");
  handles_ = {handles, static_cast<std::size_t>(count)};
  requests_.reserve(handles_.size());
  for (const MPI_Request handle : handles_) requests_.push_back(request_of(handle));
  was_active_.resize(requests_.size());
  const Handles& h = api::handles();
  const bool special = h.num_own > 0 || !h.settled.empty();
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    was_active_[i] = requests_[i] && requests_[i]->active ? 1 : 0;
    if (special) set_apart(i);
  }
  if (!h.orphans.empty()) finish_orphans();
}

void RequestList::set_apart(std::size_t place) {
  const RequestRef& request = requests_[place];
  if (!request) return;
  const auto& settled = api::handles().settled;
  const bool own = request->active && dynamic_cast<OwnRequest*>(request.get()) != nullptr;
  if (!own && std::ranges::find(settled, request) == settled.end()) return;
  if (own_.empty()) core_ = requests_;
  core_[place] = nullptr;
  own_.push_back(static_cast<int>(place));
}

// Settled requests are inactive; the others stay active until a wait.
std::vector<int> RequestList::own_complete() const {
  std::vector<int> places;
  for (const int place : own_) {
    Request& request = *requests_[place];
    if (!request.active || request.ready()) places.push_back(place);
  }
  return places;
}

std::vector<int> RequestList::core_complete() const {
  std::vector<int> places;
  const auto core = this->core();
  for (std::size_t i = 0; i < core.size(); ++i)
    if (core[i] && was_active_[i] != 0 && !core[i]->active) places.push_back(static_cast<int>(i));
  return places;
}

bool RequestList::any_active() const {
  return !own_.empty() || std::ranges::any_of(was_active_, [](auto active) { return active != 0; });
}

bool RequestList::core_active() const {
  return std::ranges::any_of(core(),
                             [](const auto& request) { return request && request->active; });
}

void RequestList::wait_own(Function function, std::size_t at_most) {
  for (std::size_t i = 0; i < std::min(at_most, own_.size()); ++i) {
    Request& request = *requests_[own_[i]];
    if (auto* own = dynamic_cast<OwnRequest*>(&request); own && own->active) own->wait(function);
  }
}

template <class Ask>
void RequestList::attempt(Ask ask) {
  try {
    ask();
  } catch (const Error& error) {
    error_ = error;
  }
}

// ---- completion

void RequestList::finish_own(std::size_t place) {
  Request& request = *requests_[place];
  if (!request.active) return;
  request.active = false;
  try {
    request.finish();
  } catch (const ErrorCode& error) {
    code_ = error;
  }
}

void RequestList::write(std::size_t place, std::size_t number) {
  if (statuses_ == MPI_STATUSES_IGNORE) return;
  const bool complete = requests_[place] && was_active_[place] != 0;
  const bool own = std::ranges::find(own_, static_cast<int>(place)) != own_.end();
  if (!complete && !own) return write_empty_status(statuses_ + number);
  const Status& status = requests_[place]->status;
  write_status(statuses_ + number, status);
  if (layout_ != Statuses::one)
    statuses_[number].MPI_ERROR = error_code(static_cast<ErrorClass>(status.error));
}

void RequestList::release(std::size_t place) {
  const RequestRef& request = requests_[place];
  if (!request) return;
  std::erase(handles().settled, request);
  if (request->persistent) return;
  handles().requests.remove(handles_[place]);
  handles_[place] = MPI_REQUEST_NULL;
  if (auto* own = dynamic_cast<OwnRequest*>(request.get())) {
    try {
      own->free();
    } catch (const ErrorCode& error) {
      code_ = error;
    }
  }
}

// Writes the statuses and handles of `count` completed requests; `nth(k)` is the place of the k-th.
template <class Nth>
void RequestList::conclude(std::size_t count, Nth nth) {
  for (std::size_t k = 0; k < count; ++k)
    if (const std::size_t place = nth(k); !core()[place] && requests_[place]) finish_own(place);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t place = nth(k);
    if (requests_[place] && requests_[place]->status.error != 0)
      request_error_ = static_cast<ErrorClass>(requests_[place]->status.error);
    write(place, layout_ == Statuses::one ? 0 : layout_ == Statuses::each ? place : k);
    release(place);
  }
}

void RequestList::raise() {
  if (code_) throw *code_;
  if (!error_) return;
  if (layout_ == Statuses::one) {
    if (error_->error_class == ErrorClass::in_status) error_->error_class = request_error_;
  } else {
    error_->what = std::string(error_name(request_error_)) + ": " + error_->what;
    error_->error_class = ErrorClass::in_status;
  }
  throw *error_;
}

// ---- waits and tests

void RequestList::wait_all(Function function) {
  wait_own(function, own_.size());
  attempt([&] { libmpi::wait_all(function, core()); });
  conclude(requests_.size(), std::identity{});
}

bool RequestList::test_all(Function function) {
  if (own_complete().size() != own_.size()) return false;
  bool complete = false;
  attempt([&] { complete = libmpi::test_all(function, core()); });
  if (!complete && !error_) return false;
  conclude(requests_.size(), std::identity{});
  return true;
}

template <class Ask>
std::optional<std::vector<int>> RequestList::some(std::size_t at_most, Ask ask) {
  if (!any_active()) return std::nullopt;
  std::vector<int> places = own_complete();
  if (places.empty()) {
    attempt(ask);
    places = core_complete();
    if (places.empty() && !error_) places = own_complete();
  }
  if (places.size() > at_most) places.resize(at_most);
  conclude(places.size(), [&](std::size_t k) { return static_cast<std::size_t>(places[k]); });
  return places;
}

std::optional<std::vector<int>> RequestList::wait_some(Function function) {
  return some(requests_.size(), [&] {
    if (!core_active()) return wait_own(function, 1);
    libmpi::wait_some(function, core());
  });
}

std::optional<std::vector<int>> RequestList::test_some(Function function) {
  return some(requests_.size(), [&] { libmpi::test_some(function, core()); });
}

std::optional<std::vector<int>> RequestList::wait_any(Function function) {
  return some(1, [&] {
    if (!core_active()) return wait_own(function, 1);
    libmpi::wait_any(function, core());
  });
}

std::optional<std::vector<int>> RequestList::test_any(Function function) {
  bool has_active = false;
  return some(1, [&] { libmpi::test_any(function, core(), has_active); });
}

}  // namespace odonata::libmpi::api
