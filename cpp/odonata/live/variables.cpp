#include "odonata/live/variables.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "odonata/units/errors.hpp"

namespace odonata::live {

namespace {

constexpr std::size_t table_bytes = std::size_t{2} << 20;  // reach of a page of the page table
constexpr int keep_old = 4;                                // MREMAP_DONTUNMAP

std::uintptr_t number(const std::byte* place) { return reinterpret_cast<std::uintptr_t>(place); }

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t rounded(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

[[noreturn]] void refuse(std::size_t bytes, std::size_t count) {
  throw UserError("fibers: no room for " + std::to_string(count) + " copies of the program's " +
                  std::to_string(bytes) +
                  " bytes of variables (sysctl vm.max_map_count allows more, --shared-globals "
                  "makes none)");
}

// A file of zeros after these bytes; -1 for none at all.
int file_of(const std::vector<std::byte>& initial, std::size_t bytes) {
  if (initial.empty()) return -1;
  const int file = memfd_create("odonata-variables", MFD_CLOEXEC);
  const auto length = static_cast<ssize_t>(initial.size());
  if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
      pwrite(file, initial.data(), initial.size(), 0) == length)
    return file;
  if (file >= 0) close(file);
  refuse(bytes, 1);
}

void* map_at(void* place, std::size_t bytes, int file) {
  const int kind = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | (file < 0 ? MAP_ANONYMOUS : 0);
  return mmap(place, bytes, PROT_READ | PROT_WRITE, kind, file, 0);
}

// Moves pages; whatever was there before is gone, and where they were may stay mapped.
void move_pages(std::byte* from, std::byte* to, std::size_t bytes) {
  static int how = MREMAP_MAYMOVE | MREMAP_FIXED | keep_old;
  if (mremap(from, bytes, bytes, how, to) != MAP_FAILED) return;
  how = MREMAP_MAYMOVE | MREMAP_FIXED;  // before Linux 5.13
  if (mremap(from, bytes, bytes, how, to) == MAP_FAILED ||
      mmap(from, bytes, PROT_NONE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
           0) == MAP_FAILED)
    throw InternalError("fibers: variables cannot be moved: " + std::string(std::strerror(errno)));
}

// The part of a piece between two offsets.
Piece part_of(const Piece& piece, std::size_t from, std::size_t to) {
  const auto begin = piece.initial.begin();
  const auto at = [&](std::size_t offset) {
    return begin + static_cast<std::ptrdiff_t>(std::min(offset, piece.initial.size()));
  };
  return {piece.place + from, to - from, {at(from), at(to)}};
}

}  // namespace

Variables::Variables(int num_fibers)
    : num_fibers_(static_cast<std::size_t>(num_fibers)), begun_(num_fibers_) {}

Variables::~Variables() {
  for (const Mapped& mapped : mapped_) munmap(mapped.room, mapped.room_bytes);
  if (slots_ != nullptr) munmap(slots_, num_fibers_ * copied_bytes_);
}

// ---- pieces

// Whole pages can be mapped. Pages filled from a file of the program and pages of zeros lie in
// mappings of their own.
void Variables::add(Piece piece) {
  const std::size_t page = page_bytes(), start = number(piece.place), end = start + piece.bytes;
  std::array<std::size_t, 5> borders{start, rounded(start, page),
                                     rounded(start + piece.initial.size(), page), end / page * page,
                                     end};
  for (std::size_t& border : borders) border = std::clamp(border, start, end);
  std::ranges::sort(borders);
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const std::size_t from = borders[i], to = borders[i + 1];
    if (from == to) continue;
    const bool whole = from % page == 0 && to % page == 0;
    Piece part = part_of(piece, from - start, to - start);
    if (whole && to - from > most_copied)
      map(part);
    else
      copy(std::move(part));
  }
}

void Variables::copy(Piece piece) {
  copied_bytes_ += piece.bytes;
  copied_.push_back(std::move(piece));
}

// Homes are as far from the borders of page tables as the place is, so that whole tables are moved.
void Variables::map(const Piece& piece) {
  const std::size_t unit = piece.bytes < 2 * table_bytes ? page_bytes() : table_bytes;
  const std::size_t stride = rounded(piece.bytes, unit);
  const std::size_t all = num_fibers_ * stride + table_bytes;
  void* start = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) refuse(piece.bytes, num_fibers_);
  auto* room = static_cast<std::byte*>(start);
  const std::size_t lead = (number(piece.place) - number(room)) % table_bytes;
  mapped_.push_back({piece.place, piece.bytes, room + lead, stride, room, all});
  mapped_bytes_ += piece.bytes;
  const int file = file_of(piece.initial, piece.bytes);
  bool mapped = true;
  for (std::size_t i = 0; i < num_fibers_ && mapped; ++i)
    mapped = map_at(room + lead + i * stride, piece.bytes, file) != MAP_FAILED;
  if (file >= 0) close(file);
  if (!mapped) refuse(piece.bytes, num_fibers_);
}

// ---- turns

std::byte* Variables::slot(int fiber) {
  if (slots_ == nullptr) {
    void* start = mmap(nullptr, num_fibers_ * copied_bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) refuse(copied_bytes_, num_fibers_);
    slots_ = static_cast<std::byte*>(start);
    madvise(start, num_fibers_ * copied_bytes_, MADV_NOHUGEPAGE);
  }
  return slots_ + static_cast<std::size_t>(fiber) * copied_bytes_;
}

void Variables::change(int fiber) {
  if (shown_ >= 0) keep(shown_);
  shown_ = fiber;
  if (fiber >= 0) bring(fiber);
}

void Variables::keep(int fiber) {
  begun_[static_cast<std::size_t>(fiber)] = true;
  for (const Mapped& mapped : mapped_) move_pages(mapped.place, mapped.home(fiber), mapped.bytes);
  if (copied_.empty()) return;
  std::byte* to = slot(fiber);
  for (const Piece& piece : copied_) {
    std::memcpy(to, piece.place, piece.bytes);
    to += piece.bytes;
  }
}

void Variables::bring(int fiber) {
  for (const Mapped& mapped : mapped_) move_pages(mapped.home(fiber), mapped.place, mapped.bytes);
  const bool begun = begun_[static_cast<std::size_t>(fiber)];
  const std::byte* from = begun ? slot(fiber) : nullptr;
  for (const Piece& piece : copied_) {
    if (begun) {
      std::memcpy(piece.place, from, piece.bytes);
      from += piece.bytes;
    } else {
      std::ranges::copy(piece.initial, piece.place);
      std::memset(piece.place + piece.initial.size(), 0, piece.bytes - piece.initial.size());
    }
  }
}

void Variables::forget(int fiber) {
  if (fiber == shown_) keep(std::exchange(shown_, -1));
  begun_[static_cast<std::size_t>(fiber)] = false;
  for (const Mapped& mapped : mapped_) madvise(mapped.home(fiber), mapped.bytes, MADV_DONTNEED);
  if (slots_ == nullptr) return;
  const std::size_t page = page_bytes();
  const std::size_t first = rounded(number(slot(fiber)), page),
                    last = number(slot(fiber + 1)) / page * page;
  if (first < last) madvise(slots_ + (first - number(slots_)), last - first, MADV_DONTNEED);
}

}  // namespace odonata::live
