// Memory that Python sees as arrays; NumPy takes it as it is, and is imported only for that.
#pragma once

#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "bind.hpp"

/// A memoryview of the values of `vector`, without a copy. [size], or [size / columns, columns]
template <class T>
nb::ndarray<nb::memview, T> to_array(std::vector<T> vector, std::size_t columns = 0) {
  auto* kept = new std::vector<T>(std::move(vector));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::size_t size = kept->size();
  if (columns == 0) return nb::ndarray<nb::memview, T>(kept->data(), {size}, owner);
  return nb::ndarray<nb::memview, T>(kept->data(), {size / columns, columns}, owner);
}

/// A memoryview of one field of each element.
template <class T, class Range, class Field>
nb::ndarray<nb::memview, T> column(const Range& rows, Field field) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<T>(field(row)));
  return to_array(std::move(values));
}
