#include "odonata/live/ready_ranks.hpp"

#include <bit>

namespace odonata::live {

namespace {

constexpr int word_bits = 64;
constexpr std::uint64_t all = ~std::uint64_t{0};

std::size_t word_of(int rank) { return static_cast<std::size_t>(rank / word_bits); }
std::uint64_t bit_of(int rank) { return std::uint64_t{1} << (rank % word_bits); }

}  // namespace

void ReadyRanks::add(int rank) { words_[word_of(rank)] |= bit_of(rank); }

int ReadyRanks::take() {
  int rank = up_ ? first_from(place_) : last_before(place_);
  if (rank < 0) {
    up_ = !up_;
    rank = up_ ? first_from(place_) : last_before(place_);
  }
  if (rank < 0) return -1;
  words_[word_of(rank)] &= ~bit_of(rank);
  place_ = up_ ? rank + 1 : rank;
  return rank;
}

int ReadyRanks::first_from(int rank) const {
  std::uint64_t mask = all << (rank % word_bits);
  for (std::size_t word = word_of(rank); word < words_.size(); ++word, mask = all)
    if (const std::uint64_t found = words_[word] & mask; found != 0)
      return static_cast<int>(word) * word_bits + std::countr_zero(found);
  return -1;
}

int ReadyRanks::last_before(int rank) const {
  if (rank == 0) return -1;
  const int last = rank - 1;
  std::uint64_t mask = all >> (word_bits - 1 - last % word_bits);
  for (std::size_t left = word_of(last) + 1; left > 0; --left, mask = all)
    if (const std::uint64_t found = words_[left - 1] & mask; found != 0)
      return static_cast<int>(left - 1) * word_bits + (word_bits - 1 - std::countl_zero(found));
  return -1;
}

}  // namespace odonata::live
