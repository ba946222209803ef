// A slow, obvious twin of datatypes: the type map, entry by entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "preload/libmpi/core/datatypes/datatype.hpp"

namespace twin {

using odonata::libmpi::NamedType;

struct Entry {
  NamedType type;
  std::int64_t offset;
};

struct Type {
  std::vector<Entry> map;
  std::int64_t lb = 0, ub = 0, alignment = 1;
  bool has_lb = false, has_ub = false;      // is there any bound yet?
  bool fixed_lb = false, fixed_ub = false;  // by a marker

  [[nodiscard]] std::int64_t extent() const { return ub - lb; }
  [[nodiscard]] std::int64_t size() const {
    std::int64_t bytes = 0;
    for (const Entry& entry : map) bytes += odonata::libmpi::size_of(entry.type);
    return bytes;
  }
};

inline Type basic(NamedType named) {
  const auto& type = odonata::libmpi::named_type(named);
  return {.map = {{named, 0}},
          .ub = type->size(),
          .alignment = type->size(),
          .has_lb = true,
          .has_ub = true};
}

/// Adds one copy.
inline void place(Type& to, const Type& old, std::int64_t displacement) {
  for (const Entry& entry : old.map) to.map.push_back({entry.type, entry.offset + displacement});
  to.alignment = std::max(to.alignment, old.alignment);
  if (old.has_lb && (old.fixed_lb || !to.fixed_lb)) {
    const std::int64_t lb = old.lb + displacement;
    const bool replaces = !to.has_lb || (old.fixed_lb && !to.fixed_lb);
    to.lb = replaces ? lb : std::min(to.lb, lb);
    to.has_lb = true;
    to.fixed_lb = old.fixed_lb;
  }
  if (old.has_ub && (old.fixed_ub || !to.fixed_ub)) {
    const std::int64_t ub = old.ub + displacement;
    const bool replaces = !to.has_ub || (old.fixed_ub && !to.fixed_ub);
    to.ub = replaces ? ub : std::max(to.ub, ub);
    to.has_ub = true;
    to.fixed_ub = old.fixed_ub;
  }
}

inline void place_row(Type& to, const Type& old, std::int64_t displacement, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) place(to, old, displacement + i * old.extent());
}

inline void pad(Type& type) {
  while (!type.fixed_ub && type.extent() % type.alignment != 0) ++type.ub;
}

inline Type resized(const Type& old, std::int64_t lb, std::int64_t extent) {
  Type type = old;
  type.lb = lb;
  type.ub = lb + extent;
  type.has_lb = type.has_ub = type.fixed_lb = type.fixed_ub = true;
  return type;
}

/// Walks over `bytes` bytes of elements: visit(place in the buffer, bytes).
template <class Visit>
void walk(const Type& type, std::int64_t bytes, Visit visit) {
  for (std::int64_t element = 0; bytes > 0; ++element)
    for (const Entry& entry : type.map) {
      const std::int64_t part = std::min(bytes, odonata::libmpi::size_of(entry.type));
      if (part > 0) visit(element * type.extent() + entry.offset, static_cast<std::size_t>(part));
      bytes -= part;
    }
}

/// Number of whole basic elements in `bytes`, -1 if they end within one.
inline std::int64_t elements_in(const Type& type, std::int64_t bytes) {
  std::int64_t found = 0;
  while (bytes > 0 && !type.map.empty())
    for (const Entry& entry : type.map) {
      if (bytes == 0) return found;
      bytes -= odonata::libmpi::size_of(entry.type);
      if (bytes < 0) return -1;
      ++found;
    }
  return bytes == 0 ? found : -1;
}

}  // namespace twin
