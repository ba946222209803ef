// Guard pages: a thread that touches one is ended, instead of writing into memory behind it.
//
// Linux 6.13 and later mark such pages in the page tables. Before, each one splits a mapping in
// two, and a process may have only so many mappings (vm.max_map_count, mostly 65,530).
#pragma once

#include <cstddef>

namespace odonata::live {

inline constexpr std::size_t guard_bytes = 4096;

/// Ways to guard pages.
enum class Guarding { marks, mappings };

/// Abilities of this kernel; `page` is tried, and guarded if the kernel can mark it.
[[nodiscard]] Guarding best_guarding(std::byte* page);

/// Mappings that this process may still have, some left for everything else.
[[nodiscard]] std::size_t affordable_mappings();

/// Guards the page at the beginning of each of `count` pieces of `each` bytes, from the first one
/// on, as far as `most_mappings` reach; returns how many have got one.
std::size_t guard(std::byte* first, std::size_t each, std::size_t count, Guarding how,
                  std::size_t most_mappings);

}  // namespace odonata::live
