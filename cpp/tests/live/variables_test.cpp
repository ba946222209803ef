#include "odonata/live/variables.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "odonata/live/mpi_libraries.hpp"

namespace odonata::tests::variables_test {

using odonata::live::Piece;
using odonata::live::Variables;

namespace {

constexpr std::size_t page = 4096;

/// Memory as the dynamic linker maps it, and a piece of it with these bytes at its beginning.
class Memory {
 public:
  explicit Memory(std::size_t bytes)
      : bytes_(bytes),
        start_(static_cast<std::byte*>(
            mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Memory() { munmap(start_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::byte* at(std::size_t offset) const { return start_ + offset; }

 private:
  std::size_t bytes_;
  std::byte* start_;
};

std::vector<std::byte> filled(std::size_t bytes, int value) {
  return std::vector<std::byte>(bytes, static_cast<std::byte>(value));
}

int value(const std::byte* place) { return static_cast<int>(*place); }

// Each of three fibers writes at the borders of a piece, and finds its own bytes and no others.
void check_piece(std::size_t lead, std::size_t bytes, std::size_t initial) {
  const Memory memory((bytes + lead + 2 * page) / page * page);
  Variables variables(3);
  variables.add({memory.at(lead), bytes, filled(initial, 9)});
  CHECK_EQUAL(variables.copied_bytes() + variables.mapped_bytes(), bytes);
  std::vector<std::size_t> places{0, bytes / 2, bytes - 1};
  for (const std::size_t place : {initial - 1, initial, page, bytes / page * page})
    if (place < bytes) places.push_back(place);
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (int fiber = 0; fiber < 3; ++fiber) {
    variables.show(fiber);
    for (const std::size_t place : places) {
      CHECK_EQUAL(value(memory.at(lead + place)), place < initial ? 9 : 0);
      *memory.at(lead + place) = static_cast<std::byte>(10 + fiber);
    }
  }
  for (const int fiber : {1, 1, 0, 2, 0}) {
    variables.show(fiber);
    for (const std::size_t place : places) CHECK_EQUAL(value(memory.at(lead + place)), 10 + fiber);
  }
}

}  // namespace

TEST("variables/each fiber has its own, copied or mapped") {
  constexpr std::size_t most = Variables::most_copied;
  check_piece(0, 64, 8);
  check_piece(8, 3 * page, 5 * 8);
  check_piece(16, most, most);
  check_piece(24, 3 * most + 100, 40);          // mapped zeros between copied ends
  check_piece(24, 6 * most + 100, 3 * most);    // a mapped file and mapped zeros
  check_piece(0, std::size_t{9} << 20, page);   // whole page tables
}

TEST("variables/a fiber adopts the present contents, others begin with the initial ones") {
  const Memory memory(page);
  *memory.at(0) = static_cast<std::byte>(5);
  Variables variables(2);
  variables.add({memory.at(0), 8, filled(1, 3)});
  variables.adopt(1);
  variables.show(0);
  CHECK_EQUAL(value(memory.at(0)), 3);
  variables.show(1);
  CHECK_EQUAL(value(memory.at(0)), 5);
  variables.forget(1);
  variables.show(0);
  CHECK_EQUAL(value(memory.at(0)), 3);
}

TEST("mpi libraries/stars stand for any characters, and versions may follow") {
  using odonata::live::fits;
  CHECK_EQUAL(fits("libmpi.so.12", "libmpi.so.12"), true);
  CHECK_EQUAL(fits("libmpi.so.12.1", "libmpi.so.12"), true);
  CHECK_EQUAL(fits("libmpi.so.120", "libmpi.so.12"), false);
  CHECK_EQUAL(fits("libmpi_gnu.so.12", "libmpi_gnu*.so.12"), true);
  CHECK_EQUAL(fits("libmpi_gnu_91.so.12", "libmpi_gnu*.so.12"), true);
  CHECK_EQUAL(fits("libmpi_gnu_91.so.4", "libmpi_gnu*.so.12"), false);
}

}  // namespace odonata::tests::variables_test
