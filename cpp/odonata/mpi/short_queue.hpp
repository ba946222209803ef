// A queue that mostly holds one element: the first stands in the queue itself, without a pointer
// to follow.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

namespace odonata {

/// In order of pushing; the first that fits is taken.
template <class T>
class ShortQueue {
 public:
  void push(const T& value) {
    if (!has_first_ && rest_.empty()) {
      first_ = value;
      has_first_ = true;
    } else {
      rest_.push_back(value);
    }
  }

  template <class Fits>
  std::optional<T> take(Fits fits) {
    if (has_first_ && fits(first_)) {
      has_first_ = false;
      return first_;
    }
    const auto found = std::find_if(rest_.begin(), rest_.end(), fits);
    if (found == rest_.end()) return std::nullopt;
    const T taken = *found;
    rest_.erase(found);
    return taken;
  }

  /// The first that fits, left where it is; null if there is none.
  template <class Fits>
  [[nodiscard]] const T* find(Fits fits) const {
    if (has_first_ && fits(first_)) return &first_;
    const auto found = std::find_if(rest_.begin(), rest_.end(), fits);
    return found == rest_.end() ? nullptr : &*found;
  }

  /// All of them, in order.
  [[nodiscard]] std::vector<T> all() const {
    std::vector<T> out;
    if (has_first_) out.push_back(first_);
    out.insert(out.end(), rest_.begin(), rest_.end());
    return out;
  }
  [[nodiscard]] bool empty() const { return !has_first_ && rest_.empty(); }

 private:
  T first_{};
  bool has_first_ = false;  // then it is older than the rest
  std::vector<T> rest_;
};

}  // namespace odonata
