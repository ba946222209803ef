// Variables of which each fiber has its own: pieces of memory at places that all fibers share, with
// the contents of the fiber that runs.
//
// Short pieces are copied when another fiber takes its turn. A long one is mapped: each fiber has
// pages of its own, which take no memory until it writes to them, and the pages of the fiber that
// runs are moved to the place.
#pragma once

#include <cstddef>
#include <vector>

namespace odonata::live {

/// A piece of memory. A fiber finds `initial` and then zeros when it starts.
struct Piece {
  std::byte* place = nullptr;
  std::size_t bytes = 0;
  std::vector<std::byte> initial = {};
};

class Variables {
 public:
  /// Longest piece [B] that is copied.
  static constexpr std::size_t most_copied = 48 << 10;

  explicit Variables(int num_fibers);
  ~Variables();
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

  /// Gives each fiber its own contents of a piece, before the first `show`. Throws UserError if
  /// there is no room for so many.
  void add(Piece piece);
  /// Gives the present contents, which may not be the initial ones, to a fiber.
  void adopt(int fiber) { shown_ = fiber; }
  /// Puts the contents of a fiber in place.
  void show(int fiber) {
    if (fiber != shown_) change(fiber);
  }
  /// Gives the memory of a fiber back that has ended.
  void forget(int fiber);
  /// Bytes that are copied when another fiber takes its turn, and bytes that are mapped.
  [[nodiscard]] std::size_t copied_bytes() const { return copied_bytes_; }
  [[nodiscard]] std::size_t mapped_bytes() const { return mapped_bytes_; }

 private:
  struct Mapped {
    std::byte* place;
    std::size_t bytes;
    std::byte* homes;  // of the pages of fibers that do not run
    std::size_t stride;  // [B] from one home to the next
    std::byte* room;  // of all homes
    std::size_t room_bytes;
    [[nodiscard]] std::byte* home(int fiber) const {
      return homes + static_cast<std::size_t>(fiber) * stride;
    }
  };

  void change(int fiber);
  void copy(Piece piece);
  void map(const Piece& piece);
  void keep(int fiber);
  void bring(int fiber);
  [[nodiscard]] std::byte* slot(int fiber);

  std::size_t num_fibers_;
  int shown_ = -1;
  std::vector<Piece> copied_;
  std::vector<Mapped> mapped_;
  std::vector<bool> begun_;  // fibers that have contents of their own in their slots
  std::size_t copied_bytes_ = 0, mapped_bytes_ = 0;
  std::byte* slots_ = nullptr;
};

}  // namespace odonata::live
