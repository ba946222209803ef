// A long list that grows at its end and never moves.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include "odonata/units/table.hpp"

namespace odonata {

/// Elements in blocks of about so many bytes. A vector would move its elements whenever it grows,
/// and take fresh memory for all of it.
template <class T, std::size_t block_bytes = std::size_t{2} << 20>
class LongList {
 public:
  static constexpr std::size_t in_a_block = std::bit_floor(block_bytes / sizeof(T));

  void push_back(const T& element) {
    if (size_ == blocks_.size() * in_a_block) {
      blocks_.emplace_back();
      blocks_.back().reserve(in_a_block);
    }
    blocks_[size_ / in_a_block].push_back(element);
    ++size_;
  }
  void pop_back() { shrink(size_ - 1); }
  /// Drops the elements from `size` on.
  void shrink(std::size_t size) {
    while (size_ > size) {
      blocks_[(size_ - 1) / in_a_block].pop_back();
      --size_;
    }
  }
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return blocks_[i / in_a_block][i % in_a_block];
  }
  [[nodiscard]] T& operator[](std::size_t i) { return blocks_[i / in_a_block][i % in_a_block]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }
  [[nodiscard]] std::size_t size() const { return size_; }

  class Iterator {
   public:
    Iterator(const LongList& list, std::size_t at) : list_(&list), at_(at) {}
    const T& operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const LongList* list_;
    std::size_t at_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size_}; }

 private:
  std::vector<Table<T>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace odonata
