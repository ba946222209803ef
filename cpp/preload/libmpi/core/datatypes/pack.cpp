#include "preload/libmpi/core/datatypes/pack.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "preload/libmpi/core/datatypes/basic_types.hpp"

namespace odonata::libmpi {

namespace {

template <class Visit>
void for_each_basic(const Signature& signature, Visit&& visit) {
  for (const Signature::Item& item : signature.items()) {
    if (!item.inner) {
      visit(item.type, item.count);
      continue;
    }
    for (std::int64_t i = 0; i < item.count; ++i) for_each_basic(*item.inner, visit);
  }
}

/// Layout of one number in memory and in "external32"; complex numbers are two numbers.
struct Number {
  std::size_t bytes, external_bytes;
  std::int64_t per_element;
  bool is_signed, is_extended;
};

Number number_of(NamedType type) {
  const Kind kind = kind_of(type);
  const std::int64_t parts = kind == Kind::complex ? 2 : 1;
  const bool extended = type == NamedType::T_LONG_DOUBLE ||
                        type == NamedType::T_C_LONG_DOUBLE_COMPLEX ||
                        type == NamedType::T_CXX_LONG_DOUBLE_COMPLEX;
  return {static_cast<std::size_t>(size_of(type) / parts),
          static_cast<std::size_t>(external_size_of(type) / parts), parts,
          kind == Kind::signed_integer, extended};
}

template <class To, class From>
void convert_floating(std::byte* number) {
  From from;
  std::memcpy(&from, number, sizeof from);
  const auto to = static_cast<To>(from);
  std::memset(number, 0, sizeof(From));
  std::memcpy(number, &to, sizeof to);
}

void swap_unless_big(std::byte* number, std::size_t bytes) {
  if constexpr (std::endian::native == std::endian::little) std::reverse(number, number + bytes);
}

// An integer that is shorter in "external32" loses its upper bytes, the first in big-endian order.

void write_number(const Number& number, const std::byte* native, std::byte* external) {
  std::byte value[16];
  std::memcpy(value, native, number.bytes);
  if (number.is_extended) convert_floating<Quad, long double>(value);
  swap_unless_big(value, number.bytes);
  std::memcpy(external, value + (number.bytes - number.external_bytes), number.external_bytes);
}

void read_number(const Number& number, const std::byte* external, std::byte* native) {
  std::byte value[16];
  const bool negative = number.is_signed && (external[0] & std::byte{0x80}) != std::byte{0};
  std::memset(value, negative ? 0xff : 0, sizeof value);
  std::memcpy(value + (number.bytes - number.external_bytes), external, number.external_bytes);
  swap_unless_big(value, number.bytes);
  if (number.is_extended) convert_floating<long double, Quad>(value);
  std::memcpy(native, value, number.bytes);
}

}  // namespace

std::int64_t external_size(const Datatype& type) {
  std::int64_t bytes = 0;
  for_each_basic(*type.signature(), [&](NamedType basic, std::int64_t count) {
    bytes += count * external_size_of(basic);
  });
  return bytes;
}

void pack_external(const void* user, std::int64_t count, const Datatype& type, std::byte* out) {
  std::vector<std::byte> native(count * type.size());
  type.pack(user, count, native.data());
  const std::byte* from = native.data();
  for (std::int64_t i = 0; i < count; ++i)
    for_each_basic(*type.signature(), [&](NamedType basic, std::int64_t elements) {
      const Number number = number_of(basic);
      for (std::int64_t n = 0; n < elements * number.per_element; ++n) {
        write_number(number, from, out);
        from += number.bytes;
        out += number.external_bytes;
      }
    });
}

void unpack_external(const std::byte* in, void* user, std::int64_t count, const Datatype& type) {
  std::vector<std::byte> native(count * type.size());
  std::byte* to = native.data();
  for (std::int64_t i = 0; i < count; ++i)
    for_each_basic(*type.signature(), [&](NamedType basic, std::int64_t elements) {
      const Number number = number_of(basic);
      for (std::int64_t n = 0; n < elements * number.per_element; ++n) {
        read_number(number, in, to);
        in += number.external_bytes;
        to += number.bytes;
      }
    });
  type.unpack(native.data(), count * type.size(), user, count);
}

}  // namespace odonata::libmpi
