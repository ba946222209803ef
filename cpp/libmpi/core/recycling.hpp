// Memory of objects that come and go with every message.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace odonata::libmpi {

/// An allocator for single objects that keeps what is given back for the next: the last first,
/// whose lines are still in the cache, and never merged with its neighbours. As the library as a
/// whole, for one thread at a time.
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
  inline static Slot* free = nullptr;
};

/// As std::make_shared, in such memory.
template <class T, class... Arguments>
[[nodiscard]] std::shared_ptr<T> make_recycled(Arguments&&... arguments) {
  return std::allocate_shared<T>(Recycling<T>(), std::forward<Arguments>(arguments)...);
}

}  // namespace odonata::libmpi
