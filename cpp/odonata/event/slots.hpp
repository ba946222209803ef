// Things that come and go, each known by a number while it is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "odonata/units/table.hpp"

namespace odonata {

/// A table indexed by the type of number that its elements are known by. The number of an element
/// that was removed is given again: the latest first.
template <class T, class Number = std::uint32_t, class Elements = Table<T>>
class Slots {
 public:
  /// The first `kept` numbers stand for nothing and are never given.
  explicit Slots(Number kept = 0) : kept_(kept), elements_(kept) {}

  /// The number of a new element, as T{} makes it.
  Number add() {
    if (free_.empty()) {
      elements_.emplace_back();
      return static_cast<Number>(elements_.size() - 1);
    }
    const Number number = free_.back();
    free_.pop_back();
    (*this)[number] = T{};
    return number;
  }
  /// The element stays as it is until its number is given again.
  void remove(Number number) { free_.push_back(number); }

  [[nodiscard]] T& operator[](Number number) { return elements_[number]; }
  [[nodiscard]] const T& operator[](Number number) const { return elements_[number]; }
  /// Numbers are below this.
  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  /// Elements that were added and not removed; negative if one was removed twice.
  [[nodiscard]] std::int64_t num_used() const {
    return static_cast<std::int64_t>(size()) - static_cast<std::int64_t>(kept_) -
           static_cast<std::int64_t>(free_.size());
  }

  /// Calls act(number, element) for every element that is there, by number.
  template <class Act>
  void for_each(Act act) const {
    std::vector<bool> gone(elements_.size());
    for (const Number number : free_) gone[number] = true;
    for (auto i = static_cast<std::size_t>(kept_); i < elements_.size(); ++i)
      if (!gone[i]) act(static_cast<Number>(i), elements_[i]);
  }

 private:
  Number kept_;
  Elements elements_;
  std::vector<Number> free_;
};

}  // namespace odonata
