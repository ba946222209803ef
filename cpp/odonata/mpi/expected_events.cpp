#include "odonata/mpi/expected_events.hpp"

#include <algorithm>

namespace odonata {

namespace {

constexpr std::size_t most_settled = 32;  // entries that stay before a heap is made anew

std::uint32_t number_of(std::uint32_t message, ExpectedEvents::Side side) {
  return 2 * message + static_cast<std::uint32_t>(side);
}

constexpr auto later = [](const auto& a, const auto& b) { return a.earliest > b.earliest; };

}  // namespace

void ExpectedEvents::expect(std::int32_t rank, std::uint32_t message, Side side, Time earliest) {
  const std::uint32_t number = number_of(message, side);
  if (number >= expected_.size()) expected_.resize(std::max<std::size_t>(number + 2, 2 * number));
  settle(number);
  Expected& one = expected_[number];
  one.rank = rank;
  Expectations& state = at(rank);
  ++state.live;
  state.entries.push_back({earliest, number, one.version});
  std::push_heap(state.entries.begin(), state.entries.end(), later);
  if (state.entries.size() > 2 * state.live + most_settled) tidy(state);
}

void ExpectedEvents::settle(std::uint32_t message, Side side) {
  const std::uint32_t number = number_of(message, side);
  if (number < expected_.size()) settle(number);
}

void ExpectedEvents::settle(std::uint32_t number) {
  Expected& one = expected_[number];
  if (one.rank < 0) return;
  Expectations& state = at(one.rank);
  one.rank = -1;
  ++one.version;
  if (--state.live == 0) state.entries.clear();
}

void ExpectedEvents::tidy(Expectations& state) {
  std::erase_if(state.entries, [this](const Entry& entry) { return settled(entry); });
  std::make_heap(state.entries.begin(), state.entries.end(), later);
}

Time ExpectedEvents::earliest(std::int32_t rank) {
  std::vector<Entry>& entries = at(rank).entries;
  while (!entries.empty() && settled(entries.front())) {
    std::pop_heap(entries.begin(), entries.end(), later);
    entries.pop_back();
  }
  return entries.empty() ? never : entries.front().earliest;
}

}  // namespace odonata
