#include "odonata/mpi/lookahead.hpp"

#include <algorithm>

namespace odonata {

namespace {

constexpr std::size_t most_settled = 32;  // entries that stay before a heap is made anew

std::uint32_t place_of(std::uint32_t message, Lookahead::Side side) {
  return 2 * message + static_cast<std::uint32_t>(side);
}

constexpr auto later = [](const auto& a, const auto& b) { return a.earliest > b.earliest; };

}  // namespace

void Lookahead::expect(std::int32_t rank, std::uint32_t message, Side side, Time earliest) {
  const std::uint32_t number = place_of(message, side);
  if (number >= places_.size()) places_.resize(std::max<std::size_t>(number + 2, 2 * number));
  settle(number);
  Place& place = places_[number];
  place.rank = rank;
  RankState& state = at(rank);
  ++state.live;
  state.entries.push_back({earliest, number, place.version});
  std::push_heap(state.entries.begin(), state.entries.end(), later);
  if (state.entries.size() > 2 * state.live + most_settled) tidy(state);
}

void Lookahead::settle(std::uint32_t message, Side side) {
  const std::uint32_t number = place_of(message, side);
  if (number < places_.size()) settle(number);
}

void Lookahead::settle(std::uint32_t number) {
  Place& place = places_[number];
  if (place.rank < 0) return;
  RankState& state = at(place.rank);
  place.rank = -1;
  ++place.version;
  if (--state.live == 0) state.entries.clear();
}

void Lookahead::tidy(RankState& state) {
  std::erase_if(state.entries, [this](const Entry& entry) { return settled(entry); });
  std::make_heap(state.entries.begin(), state.entries.end(), later);
}

Time Lookahead::earliest(std::int32_t rank) {
  std::vector<Entry>& entries = at(rank).entries;
  while (!entries.empty() && settled(entries.front())) {
    std::pop_heap(entries.begin(), entries.end(), later);
    entries.pop_back();
  }
  return entries.empty() ? never : entries.front().earliest;
}

}  // namespace odonata
