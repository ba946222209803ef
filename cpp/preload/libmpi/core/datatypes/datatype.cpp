#include "preload/libmpi/core/datatypes/datatype.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "preload/libmpi/core/environment/error.hpp"

namespace odonata::libmpi {

namespace {

// Packing and unpacking share this walk: `user` jumps from run to run, `packed` moves without gaps.

struct Pack {
  static void run(std::byte* user, std::byte* packed, std::size_t bytes) {
    std::memcpy(packed, user, bytes);
  }
};

struct Unpack {
  static void run(std::byte* user, std::byte* packed, std::size_t bytes) {
    std::memcpy(user, packed, bytes);
  }
};

template <class Way, std::size_t bytes>
std::byte* fixed_runs(std::byte* user, std::byte* packed, std::int64_t count, std::int64_t stride) {
  for (std::int64_t i = 0; i < count; ++i, user += stride, packed += bytes)
    Way::run(user, packed, bytes);
  return packed;
}

template <class Way>
std::byte* runs(std::byte* user, std::byte* packed, std::int64_t bytes, std::int64_t count,
                std::int64_t stride) {
  switch (bytes) {
    case 4: return fixed_runs<Way, 4>(user, packed, count, stride);
    case 8: return fixed_runs<Way, 8>(user, packed, count, stride);
    case 16: return fixed_runs<Way, 16>(user, packed, count, stride);
    case 24: return fixed_runs<Way, 24>(user, packed, count, stride);
    default: break;
  }
  for (std::int64_t i = 0; i < count; ++i, user += stride, packed += bytes)
    Way::run(user, packed, static_cast<std::size_t>(bytes));
  return packed;
}

template <class Way>
std::byte* walk(const TypeLayout& layout, std::byte* user, std::byte* packed) {
  for (const Run& part : layout.runs()) {
    std::byte* place = user + part.offset;
    if (!part.inner) {
      packed = runs<Way>(place, packed, part.bytes, part.count, part.stride);
      continue;
    }
    for (std::int64_t i = 0; i < part.count; ++i, place += part.stride)
      packed = walk<Way>(*part.inner, place, packed);
  }
  return packed;
}

template <class Way>
std::byte* walk(const TypeLayout& layout, std::int64_t count, std::int64_t extent, std::byte* user,
                std::byte* packed) {
  if (layout.runs().size() == 1 && layout.runs().front().single()) {
    const Run& run = layout.runs().front();
    return runs<Way>(user + run.offset, packed, run.bytes, count, extent);
  }
  for (std::int64_t i = 0; i < count; ++i, user += extent) packed = walk<Way>(layout, user, packed);
  return packed;
}

/// Copies the first `rest` bytes of an element; returns the number of bytes that remain.
std::int64_t unpack_part(const TypeLayout& layout, std::byte* user, const std::byte* packed,
                         std::int64_t rest) {
  for (const Run& part : layout.runs()) {
    std::byte* place = user + part.offset;
    for (std::int64_t i = 0; i < part.count && rest > 0; ++i, place += part.stride) {
      const std::int64_t before = rest;
      if (part.inner) {
        rest = unpack_part(*part.inner, place, packed, rest);
      } else {
        rest -= std::min(rest, part.bytes);
        std::memcpy(place, packed, static_cast<std::size_t>(before - rest));
      }
      packed += before - rest;
    }
  }
  return rest;
}

bool in_a_row(const TypeLayout& layout, const Bounds& bounds) {
  if (layout.runs().empty()) return true;
  const Run& first = layout.runs().front();
  return layout.runs().size() == 1 && first.single() && first.offset == 0 &&
         first.bytes == bounds.ub - bounds.lb;
}

}  // namespace

Datatype::Datatype(LayoutRef layout, SignatureRef signature, const Bounds& bounds,
                   Contents contents, std::optional<NamedType> named)
    : layout_(std::move(layout)),
      signature_(std::move(signature)),
      bounds_(bounds),
      contents_(std::move(contents)),
      named_(named),
      contiguous_(in_a_row(*layout_, bounds)) {}

std::int64_t Datatype::span(std::int64_t count) const {
  return count == 0 ? 0 : true_extent() + (count - 1) * std::abs(extent());
}

void Datatype::pack(const void* user, std::int64_t count, std::byte* out) const {
  if (count == 0 || size() == 0) return;
  if (contiguous_) {
    std::memcpy(out, user, static_cast<std::size_t>(count * size()));
    return;
  }
  auto* from = static_cast<std::byte*>(const_cast<void*>(user));  // is only read
  walk<Pack>(*layout_, count, extent(), from, out);
}

void Datatype::unpack(const std::byte* in, std::int64_t bytes, void* user,
                      std::int64_t count) const {
  if (count == 0 || size() == 0) return;
  bytes = std::min(bytes, count * size());
  if (bytes <= 0) return;
  if (contiguous_) {
    std::memcpy(user, in, static_cast<std::size_t>(bytes));
    return;
  }
  auto* to = static_cast<std::byte*>(user);
  const std::int64_t whole = bytes / size();
  auto* packed = const_cast<std::byte*>(in);  // is only read
  packed = walk<Unpack>(*layout_, whole, extent(), to, packed);
  unpack_part(*layout_, to + whole * extent(), packed, bytes % size());
}

void copy(const void* from, std::int64_t from_count, const Datatype& from_type, void* to,
          std::int64_t to_count, const Datatype& to_type) {
  const std::int64_t bytes = from_count * from_type.size();
  const std::int64_t room = to_count * to_type.size();
  if (bytes > room)
    throw Error{ErrorClass::truncate,
                std::to_string(bytes) + " bytes into a buffer of " + std::to_string(room)};
  if (bytes == 0) return;
  if (from_type.contiguous()) {
    to_type.unpack(static_cast<const std::byte*>(from), bytes, to, to_count);
  } else if (to_type.contiguous()) {
    from_type.pack(from, from_count, static_cast<std::byte*>(to));
  } else {
    std::vector<std::byte> packed(bytes);
    from_type.pack(from, from_count, packed.data());
    to_type.unpack(packed.data(), bytes, to, to_count);
  }
}

}  // namespace odonata::libmpi
