#include "odonata/live/guards.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace odonata::live {

namespace {

constexpr int mark_as_guard = 102;           // MADV_GUARD_INSTALL
constexpr std::size_t usual_mappings = 65'530;
constexpr std::size_t left_for_others = 4'096;  // libraries, and mappings of the program

}  // namespace

Guarding best_guarding(std::byte* page) {
  return madvise(page, guard_bytes, mark_as_guard) == 0 ? Guarding::marks : Guarding::mappings;
}

std::size_t affordable_mappings() {
  std::size_t most = usual_mappings;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  std::ifstream maps("/proc/self/maps");
  std::size_t taken = left_for_others;
  for (std::string line; std::getline(maps, line);) ++taken;
  return most > taken ? most - taken : 0;
}

std::size_t guard(std::byte* first, std::size_t each, std::size_t count, Guarding how,
                  std::size_t most_mappings) {
  constexpr std::size_t mappings_each = 2;  // the guard and the piece behind it
  const std::size_t most =
      how == Guarding::marks ? count : std::min(count, most_mappings / mappings_each);
  for (std::size_t i = 0; i < most; ++i) {
    std::byte* page = first + i * each;
    const bool guarded = how == Guarding::marks ? madvise(page, guard_bytes, mark_as_guard) == 0
                                                : mprotect(page, guard_bytes, PROT_NONE) == 0;
    if (!guarded) return i;
  }
  return most;
}

}  // namespace odonata::live
