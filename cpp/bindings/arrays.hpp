// Memory that Python sees as arrays; NumPy takes it as it is, and is imported only for that.
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "odonata/units/units.hpp"

/// A memoryview of the values of `vector`, without a copy. [size], or [size / columns, columns]
template <class T>
nb::ndarray<nb::memview, T> to_array(std::vector<T> vector, std::size_t columns = 0) {
  auto* kept = new std::vector<T>(std::move(vector));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::size_t size = kept->size();
  if (columns == 0) return nb::ndarray<nb::memview, T>(kept->data(), {size}, owner);
  return nb::ndarray<nb::memview, T>(kept->data(), {size / columns, columns}, owner);
}

/// A sum as an int of Python, which has room for any.
inline nb::object to_int(odonata::TimeSum sum) {
  const auto high = static_cast<std::int64_t>(sum >> 64);
  const auto low = static_cast<std::uint64_t>(sum);
  return (nb::int_(high) << nb::int_(64)) | nb::int_(low);
}

/// A memoryview of sums: whole numbers if all fit 64 bits, or else the doubles next to them.
inline nb::object sums_to_array(const std::vector<odonata::TimeSum>& sums,
                                std::size_t columns = 0) {
  const auto fits = [](odonata::TimeSum sum) { return static_cast<std::int64_t>(sum) == sum; };
  if (std::all_of(sums.begin(), sums.end(), fits))
    return nb::cast(to_array(std::vector<std::int64_t>(sums.begin(), sums.end()), columns));
  return nb::cast(to_array(std::vector<double>(sums.begin(), sums.end()), columns));
}

/// A memoryview of one field of each element.
template <class T, class Range, class Field>
nb::ndarray<nb::memview, T> column(const Range& rows, Field field) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<T>(field(row)));
  return to_array(std::move(values));
}
