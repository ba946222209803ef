// Memory of objects that are created for every message.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace odonata::libmpi {

/// An allocator that keeps freed objects for reuse. The last one freed is reused first, since its
/// lines are still in the cache, and is never merged with its neighbours. Like the whole library it
/// serves one thread at a time.
template <class T>
struct Recycling {
  using value_type = T;

  Recycling() = default;
  template <class U>
  explicit Recycling(const Recycling<U>& /*other*/) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count != 1 || free == nullptr) return std::allocator<Slot>().allocate(count)->object();
    return std::exchange(free, free->next)->object();
  }
  void deallocate(T* object, std::size_t count) {
    auto* slot = reinterpret_cast<Slot*>(object);
    if (count != 1) return std::allocator<Slot>().deallocate(slot, count);
    slot->next = std::exchange(free, slot);
  }

  friend bool operator==(const Recycling& /*a*/, const Recycling& /*b*/) { return true; }

 private:
  union Slot {
    Slot* next;
    alignas(T) std::byte memory[sizeof(T)];

    T* object() { return reinterpret_cast<T*>(memory); }
  };
  // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): allocators are copied.
  inline static Slot* free = nullptr;
};

/// Like std::make_shared, with memory from Recycling.
template <class T, class... Arguments>
[[nodiscard]] std::shared_ptr<T> make_recycled(Arguments&&... arguments) {
  return std::allocate_shared<T>(Recycling<T>(), std::forward<Arguments>(arguments)...);
}

}  // namespace odonata::libmpi
