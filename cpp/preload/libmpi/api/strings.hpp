#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// Copies a string into `size` bytes of the program: at most size - 1 characters, then a null.
/// Throws Error if these are a null pointer.
inline int copy_string(std::string_view from, char* to, int size) {
  const auto length =
      static_cast<int>(std::min(from.size(), static_cast<std::size_t>(std::max(size, 1)) - 1));
  std::memcpy(&out(to), from.data(), static_cast<std::size_t>(length));
  to[length] = '\0';
  return length;
}

}  // namespace odonata::libmpi::api
