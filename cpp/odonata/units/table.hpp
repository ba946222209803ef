// Tables that are touched everywhere, one line here and one there.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace odonata {

/// Memory for `bytes` bytes; a large piece begins and ends with a large page, which the system is
/// asked to give: so fewer translations of addresses are missed. Throws std::bad_alloc.
[[nodiscard]] void* take_pages(std::size_t bytes);
void give_back_pages(void* place, std::size_t bytes);

template <class T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <class U>
  explicit LargePages(const LargePages<U>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(take_pages(count * sizeof(T)));
  }
  void deallocate(T* place, std::size_t count) { give_back_pages(place, count * sizeof(T)); }

  friend bool operator==(const LargePages& /*a*/, const LargePages& /*b*/) { return true; }
};

template <class T>
using Table = std::vector<T, LargePages<T>>;

}  // namespace odonata
