// Credits on their way back to the sender of a virtual channel, by the time they arrive.
//
// Mostly one or two are on their way, so two stand in the channel itself; later ones wait in a
// list whose cells all channels share.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "odonata/units/units.hpp"

namespace odonata {

struct Credit {
  Time time = 0;           // [ps]
  std::int32_t bytes = 0;  // [B]
};

/// Cells for the credits that don't fit into their channels; a cell that falls free is used again.
class CreditPool {
 public:
  static constexpr std::int32_t none = -1;

  struct Cell {
    Credit credit;
    std::int32_t next = none;
  };

  [[nodiscard]] Cell& at(std::int32_t i) { return cells_[i]; }
  [[nodiscard]] const Cell& at(std::int32_t i) const { return cells_[i]; }

  std::int32_t take(const Credit& credit, std::int32_t next) {
    if (free_ == none) {
      cells_.push_back({credit, next});
      return static_cast<std::int32_t>(cells_.size() - 1);
    }
    const std::int32_t cell = std::exchange(free_, at(free_).next);
    at(cell) = {credit, next};
    return cell;
  }
  void give_back(std::int32_t cell) { at(cell).next = std::exchange(free_, cell); }

 private:
  std::vector<Cell> cells_;
  std::int32_t free_ = none;
};

/// The credits of one channel, earliest first.
class Credits {
 public:
  void add(Credit credit, CreditPool& pool) {
    if (num_near_ == 2 || first_far_ != CreditPool::none) {
      if (num_near_ == 2 && credit.time < times_[1]) credit = exchange_second(credit);
      return add_far(credit, pool);
    }
    put(num_near_++, credit);
    if (num_near_ == 2 && times_[1] < times_[0]) swap_near();
  }

  [[nodiscard]] bool empty() const { return num_near_ == 0; }
  /// When the next one arrives; there must be one.
  [[nodiscard]] Time next_time() const { return times_[0]; }

  /// Takes the credits that have arrived by `now`; returns their bytes.
  std::int32_t take(Time now, CreditPool& pool) {
    std::int32_t bytes = 0;
    while (num_near_ > 0 && times_[0] <= now) {
      bytes += bytes_[0];
      put(0, {times_[1], bytes_[1]});
      --num_near_;
      if (first_far_ != CreditPool::none) refill(pool);
    }
    return bytes;
  }

  /// Bytes of all of them.
  [[nodiscard]] std::int64_t sum(const CreditPool& pool) const {
    std::int64_t bytes = (num_near_ > 0 ? bytes_[0] : 0) + (num_near_ > 1 ? bytes_[1] : 0);
    for (std::int32_t i = first_far_; i != CreditPool::none; i = pool.at(i).next)
      bytes += pool.at(i).credit.bytes;
    return bytes;
  }

 private:
  void put(int place, const Credit& credit) {
    times_[place] = credit.time;
    bytes_[place] = credit.bytes;
  }
  void swap_near() {
    std::swap(times_[0], times_[1]);
    std::swap(bytes_[0], bytes_[1]);
  }
  Credit exchange_second(const Credit& credit) {
    const Credit second{times_[1], bytes_[1]};
    put(1, credit);
    if (times_[1] < times_[0]) swap_near();
    return second;
  }
  void add_far(const Credit& credit, CreditPool& pool) {
    if (first_far_ == CreditPool::none) {
      first_far_ = last_far_ = pool.take(credit, CreditPool::none);
    } else if (pool.at(last_far_).credit.time <= credit.time) {
      const std::int32_t cell = pool.take(credit, CreditPool::none);
      pool.at(last_far_).next = cell;
      last_far_ = cell;
    } else if (credit.time < pool.at(first_far_).credit.time) {
      first_far_ = pool.take(credit, first_far_);
    } else {
      std::int32_t before = first_far_;
      while (pool.at(pool.at(before).next).credit.time <= credit.time)
        before = pool.at(before).next;
      const std::int32_t cell = pool.take(credit, pool.at(before).next);
      pool.at(before).next = cell;
    }
  }
  void refill(CreditPool& pool) {
    const std::int32_t cell = first_far_;
    put(num_near_++, pool.at(cell).credit);
    first_far_ = pool.at(cell).next;
    if (first_far_ == CreditPool::none) last_far_ = CreditPool::none;
    pool.give_back(cell);
  }

  Time times_[2] = {0, 0};           // [ps]
  std::int32_t bytes_[2] = {0, 0};   // [B]
  std::int32_t first_far_ = CreditPool::none, last_far_ = CreditPool::none;
  std::int32_t num_near_ = 0;  // 0 only without any credits
};

}  // namespace odonata
