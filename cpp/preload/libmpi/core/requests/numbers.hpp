// The numbers by which records name the requests of a rank.
#pragma once

#include <cstdint>
#include <vector>

namespace odonata::libmpi {

class RequestNumbers {
 public:
  [[nodiscard]] std::uint32_t take() {
    if (free_.empty()) return ++num_taken_;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  /// Gives a number back: the next request may have it.
  void give_back(std::uint32_t number) { free_.push_back(number); }

 private:
  std::uint32_t num_taken_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace odonata::libmpi
