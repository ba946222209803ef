#include "odonata/units/table.hpp"

#include <sys/mman.h>

namespace odonata {

namespace {

constexpr std::size_t page = std::size_t{2} << 20;  // [B]
constexpr std::size_t least = page / 4;             // [B] less has ordinary pages

constexpr std::align_val_t line{64};

// Whole pages, so that nothing else has a part of the last one.
std::size_t rounded(std::size_t bytes) { return (bytes + page - 1) / page * page; }

}  // namespace

void* take_pages(std::size_t bytes) {
  if (bytes < least) return ::operator new(bytes, line);
  void* place = ::operator new(rounded(bytes), std::align_val_t{page});
  madvise(place, rounded(bytes), MADV_HUGEPAGE);  // where it can't, ordinary pages do as well
  return place;
}

void give_back_pages(void* place, std::size_t bytes) {
  ::operator delete(place, bytes < least ? line : std::align_val_t{page});
}

}  // namespace odonata
