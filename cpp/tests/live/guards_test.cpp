// Guard pages as far as they are affordable.
#include "odonata/live/guards.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "check.hpp"

namespace odonata::tests::guards_test {

using namespace odonata::live;

namespace {

constexpr std::size_t each = 4 * guard_bytes;
constexpr std::size_t count = 10;

struct Pieces {
  Pieces()
      : first(static_cast<std::byte*>(mmap(nullptr, count * each, PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pieces() { munmap(first, count * each); }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  /// Pieces whose first page the kernel refuses to read.
  [[nodiscard]] std::size_t guarded() const {
    int ends[2];
    CHECK_EQUAL(pipe(ends), 0);
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (write(ends[1], first + i * each, 1) < 0) ++found;
      CHECK_EQUAL(write(ends[1], first + i * each + guard_bytes, 1), 1);
    }
    close(ends[0]);
    close(ends[1]);
    return found;
  }

  std::byte* first;
};

}  // namespace

TEST("guards/as many as there are mappings for, two each") {
  const std::size_t cases[] = {0, 1, 2, 7, 20, 1000};
  for (const std::size_t mappings : cases) {
    const Pieces pieces;
    const std::size_t got = guard(pieces.first, each, count, Guarding::mappings, mappings);
    CHECK_EQUAL(got, std::min(count, mappings / 2));
    CHECK_EQUAL(pieces.guarded(), got);
  }
}

TEST("guards/marks need no mappings") {
  const Pieces pieces;
  const Guarding best = best_guarding(pieces.first);
  const std::size_t got = guard(pieces.first, each, count, best, 0);
  CHECK_EQUAL(got, best == Guarding::marks ? count : 0U);
  CHECK_EQUAL(pieces.guarded(), got);
}

TEST("guards/some mappings are left for everything else") {
  CHECK(affordable_mappings() > 10'000U);
}

}  // namespace odonata::tests::guards_test
