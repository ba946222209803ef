// Datatypes against type maps that are walked entry by entry.
#include "preload/libmpi/core/datatypes/datatype.hpp"

#include <array>
#include <numeric>
#include <random>

#include "check.hpp"
#include "libmpi/type_twin.hpp"
#include "preload/libmpi/core/datatypes/pack.hpp"
#include "preload/libmpi/core/datatypes/type_constructors.hpp"
#include "preload/libmpi/core/environment/error.hpp"

namespace odonata::libmpi::tests::datatype_test {

namespace {

struct Both {
  TypeRef type;
  twin::Type twin;
};

class RandomTypes {
 public:
  explicit RandomTypes(unsigned seed) : random_(seed) {}

  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  Both basic() {
    static constexpr std::array types = {NamedType::T_BYTE, NamedType::T_SHORT, NamedType::T_INT,
                                         NamedType::T_DOUBLE};
    const NamedType named = types[number(0, types.size() - 1)];
    return {named_type(named), twin::basic(named)};
  }

  Both type(int depth) {
    if (depth == 0) return basic();
    const Both old = type(depth - 1);
    switch (number(0, 6)) {
      case 0: return in_a_row(old);
      case 1: return strided(old);
      case 2: return scattered(old);
      case 3: return blocks(old);
      case 4: return mixed(old, type(static_cast<int>(number(0, depth - 1))));
      case 5: return stretched(old);
      default: return {duplicate(old.type), old.twin};
    }
  }

 private:
  Both in_a_row(const Both& old) {
    const std::int64_t count = number(0, 20);
    twin::Type made;
    place_row(made, old.twin, 0, count);
    return {contiguous(count, old.type), made};
  }

  Both strided(const Both& old) {
    const std::int64_t count = number(0, 20);
    const std::int64_t block = number(0, 4);
    const std::int64_t stride = number(-6, 6);
    twin::Type made;
    for (std::int64_t i = 0; i < count; ++i)
      place_row(made, old.twin, i * stride * old.twin.extent(), block);
    if (number(0, 1) == 0) return {vector(count, block, stride, old.type), made};
    return {hvector(count, block, stride * old.twin.extent(), old.type), made};
  }

  Both scattered(const Both& old) {
    std::vector<std::int64_t> lengths, places;
    twin::Type made;
    for (std::int64_t i = number(0, 6); i > 0; --i) {
      lengths.push_back(number(0, 3));
      places.push_back(number(-40, 40));
      place_row(made, old.twin, places.back(), lengths.back());
    }
    return {hindexed(lengths, places, old.type), made};
  }

  Both blocks(const Both& old) {
    const std::int64_t block = number(1, 3);
    std::vector<std::int64_t> places;
    twin::Type made;
    for (std::int64_t i = number(0, 8); i > 0; --i) {
      places.push_back(number(-5, 12));
      place_row(made, old.twin, places.back() * old.twin.extent(), block);
    }
    return {indexed_block(block, places, old.type), made};
  }

  Both mixed(const Both& a, const Both& b) {
    const std::array<std::int64_t, 3> lengths = {number(0, 3), number(0, 2), number(1, 2)};
    const std::array<std::int64_t, 3> places = {number(-8, 8), number(0, 64), number(8, 16)};
    const std::array<TypeRef, 3> types = {a.type, b.type, a.type};
    twin::Type made;
    place_row(made, a.twin, places[0], lengths[0]);
    place_row(made, b.twin, places[1], lengths[1]);
    place_row(made, a.twin, places[2], lengths[2]);
    twin::pad(made);
    return {structure(lengths, places, types), made};
  }

  Both stretched(const Both& old) {
    const std::int64_t lb = number(-8, 8);
    const std::int64_t extent = number(0, 100);
    return {resized(old.type, lb, extent), twin::resized(old.twin, lb, extent)};
  }

  std::mt19937 random_;
};

struct Bytes {
  std::int64_t first = 0, end = 0;  // of what the twin touches
};

Bytes touched(const twin::Type& type, std::int64_t count) {
  Bytes found;
  twin::walk(type, count * type.size(), [&](std::int64_t place, std::size_t bytes) {
    found.first = std::min(found.first, place);
    found.end = std::max(found.end, place + static_cast<std::int64_t>(bytes));
  });
  return found;
}

std::vector<std::byte> numbered(std::int64_t bytes, int from) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = static_cast<std::byte>((static_cast<std::size_t>(from) + i * 37 + (i >> 8)) & 0xff);
  return made;
}

void check_measures(const Both& both) {
  CHECK_EQUAL(both.type->size(), both.twin.size());
  CHECK_EQUAL(both.type->lb(), both.twin.lb);
  CHECK_EQUAL(both.type->extent(), both.twin.extent());
  const auto& map = both.twin.map;
  CHECK_EQUAL(both.type->signature()->elements(), static_cast<std::int64_t>(map.size()));
  if (map.empty()) return;
  const auto begin = std::ranges::min(map, {}, &twin::Entry::offset).offset;
  std::int64_t end = begin;
  for (const twin::Entry& entry : map) end = std::max(end, entry.offset + size_of(entry.type));
  CHECK_EQUAL(both.type->true_lb(), begin);
  CHECK_EQUAL(both.type->true_extent(), end - begin);
}

void check_pack(const Both& both, std::int64_t count) {
  const Bytes range = touched(both.twin, count);
  std::vector<std::byte> user = numbered(range.end - range.first + 16, 1);
  std::byte* buffer = user.data() + 8 - range.first;
  std::vector<std::byte> expected;
  twin::walk(both.twin, count * both.twin.size(), [&](std::int64_t place, std::size_t bytes) {
    expected.insert(expected.end(), buffer + place, buffer + place + bytes);
  });
  std::vector<std::byte> packed(expected.size());
  both.type->pack(buffer, count, packed.data());
  CHECK(packed == expected);
}

void check_unpack(const Both& both, std::int64_t count, std::int64_t bytes) {
  const Bytes range = touched(both.twin, count);
  std::vector<std::byte> user = numbered(range.end - range.first + 16, 1);
  std::vector<std::byte> expected = user;
  const std::vector<std::byte> packed = numbered(bytes, 100);
  const std::byte* from = packed.data();
  twin::walk(both.twin, bytes, [&](std::int64_t place, std::size_t part) {
    std::memcpy(expected.data() + 8 - range.first + place, from, part);
    from += part;
  });
  both.type->unpack(packed.data(), bytes, user.data() + 8 - range.first, count);
  CHECK(user == expected);
}

}  // namespace

TEST("libmpi/random datatypes pack and unpack as their type maps say") {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    RandomTypes random(seed);
    const Both both = random.type(static_cast<int>(random.number(1, 3)));
    if (both.twin.map.size() > 20'000) continue;
    const std::int64_t count = random.number(0, 3);
    check_measures(both);
    check_pack(both, count);
    check_unpack(both, count, count * both.twin.size());
    const std::int64_t part = random.number(0, count * both.twin.size());
    check_unpack(both, count, part);
    CHECK_EQUAL(both.type->signature()->elements_in(part), twin::elements_in(both.twin, part));
  }
}

TEST("libmpi/a column of a matrix is one loop of runs, however long") {
  const auto column = vector(1'000'000, 1, 1000, named_type(NamedType::T_DOUBLE));
  CHECK_EQUAL(column->layout()->runs().size(), 1U);
  const auto matrix = hvector(1000, 1, 8, column);  // transposed
  CHECK_EQUAL(matrix->layout()->runs().size(), 1U);
  CHECK_EQUAL(matrix->size(), 8'000'000'000);
}

TEST("libmpi/rows without gaps are contiguous, a padded struct is not") {
  const auto rows = vector(10, 4, 4, named_type(NamedType::T_INT));
  CHECK(rows->contiguous());
  CHECK(!named_type(NamedType::T_DOUBLE_INT)->contiguous());
  CHECK_EQUAL(named_type(NamedType::T_DOUBLE_INT)->size(), 12);
  CHECK_EQUAL(named_type(NamedType::T_DOUBLE_INT)->extent(), 16);
  CHECK_EQUAL(named_type(NamedType::T_LONG_DOUBLE_INT)->extent(), 32);
  CHECK_EQUAL(named_type(NamedType::T_SHORT_INT)->extent(), 8);
}

TEST("libmpi/markers of MPI-1 set the bounds of a struct") {
  const std::array<std::int64_t, 3> lengths = {1, 1, 1};
  const std::array<std::int64_t, 3> places = {-4, 0, 20};
  const std::array<TypeRef, 3> types = {named_type(NamedType::T_LB), named_type(NamedType::T_INT),
                                        named_type(NamedType::T_UB)};
  const auto type = structure(lengths, places, types);
  CHECK_EQUAL(type->lb(), -4);
  CHECK_EQUAL(type->ub(), 20);
  CHECK_EQUAL(type->size(), 4);
}

TEST("libmpi/a subarray has the elements between its corners") {
  // Elements (1..2, 3..5) of 4 x 7 in C order: 1*7+3, ..., 2*7+5.
  const std::array<std::int64_t, 2> sizes = {4, 7}, subsizes = {2, 3}, starts = {1, 3};
  const auto part = subarray(sizes, subsizes, starts, ArrayOrder::c, named_type(NamedType::T_INT));
  std::array<int, 28> array{};
  std::iota(array.begin(), array.end(), 0);
  std::array<int, 6> found{};
  part->pack(array.data(), 1, reinterpret_cast<std::byte*>(found.data()));
  CHECK(found == std::array{10, 11, 12, 17, 18, 19});
  CHECK_EQUAL(part->extent(), 112);
  // In Fortran's order the first index is the fastest: rows 1..2 of columns 3..5, 4 rows.
  const auto transposed =
      subarray(sizes, subsizes, starts, ArrayOrder::fortran, named_type(NamedType::T_INT));
  transposed->pack(array.data(), 1, reinterpret_cast<std::byte*>(found.data()));
  CHECK(found == std::array{13, 14, 17, 18, 21, 22});
}

TEST("libmpi/parts of a distributed array are dealt out by block and in turn") {
  // 5 x 7 elements; rows in blocks of 3 to 2 processes, columns by twos in turn to 2 processes.
  const std::array<std::int64_t, 2> sizes = {5, 7}, arguments = {default_argument, 2},
                                    processes = {2, 2};
  const std::array distributions = {Distribution::block, Distribution::cyclic};
  std::array<int, 35> array{};
  std::iota(array.begin(), array.end(), 0);
  for (const ArrayOrder order : {ArrayOrder::c, ArrayOrder::fortran})
    for (int rank = 0; rank < 4; ++rank) {
      std::vector<int> expected;
      for (int i = 0; i < 35; ++i) {
        const int row = order == ArrayOrder::c ? i / 7 : i % 5;
        const int column = order == ArrayOrder::c ? i % 7 : i / 5;
        if (row / 3 == rank / 2 && column / 2 % 2 == rank % 2) expected.push_back(i);
      }
      const auto part = darray({.size = 4,
                                .rank = rank,
                                .sizes = sizes,
                                .distributions = distributions,
                                .arguments = arguments,
                                .processes = processes,
                                .order = order},
                               named_type(NamedType::T_INT));
      CHECK_EQUAL(part->size(), static_cast<std::int64_t>(4 * expected.size()));
      CHECK_EQUAL(part->extent(), 140);
      std::vector<int> found(expected.size());
      part->pack(array.data(), 1, reinterpret_cast<std::byte*>(found.data()));
      CHECK(found == expected);
    }
}

TEST("libmpi/external32 is big-endian, and a long has four bytes") {
  const std::array<std::int64_t, 2> lengths = {1, 1}, places = {0, 8};
  const std::array<TypeRef, 2> types = {named_type(NamedType::T_LONG),
                                        named_type(NamedType::T_SHORT)};
  const auto type = structure(lengths, places, types);
  struct Native {
    long a;
    short b;
  } native{-2, 0x0102}, back{};
  CHECK_EQUAL(external_size(*type), 6);
  std::array<unsigned char, 6> out{};
  pack_external(&native, 1, *type, reinterpret_cast<std::byte*>(out.data()));
  CHECK(out == std::array<unsigned char, 6>{0xff, 0xff, 0xff, 0xfe, 1, 2});
  unpack_external(reinterpret_cast<const std::byte*>(out.data()), &back, 1, *type);
  CHECK_EQUAL(back.a, -2L);
  CHECK_EQUAL(back.b, 0x0102);
  const std::array<long double, 2> values = {1.5L, -3.25L};  // quad: 0x3fff8..., 0xc000a...
  std::array<unsigned char, 32> quads{};
  const auto& complex = *named_type(NamedType::T_C_LONG_DOUBLE_COMPLEX);
  pack_external(values.data(), 1, complex, reinterpret_cast<std::byte*>(quads.data()));
  CHECK_EQUAL(int{quads[1]}, 0xff);
  CHECK_EQUAL(int{quads[2]}, 0x80);
  std::array<long double, 2> again{};
  unpack_external(reinterpret_cast<const std::byte*>(quads.data()), again.data(), 1, complex);
  CHECK(again == values);
}

TEST("libmpi/arguments that make no datatype are refused") {
  const auto& type = named_type(NamedType::T_INT);
  CHECK_THROWS(Error, contiguous(-1, type));
  CHECK_THROWS(Error, vector(2, -1, 1, type));
  const std::array<std::int64_t, 1> size = {4}, part = {3}, start = {2};
  CHECK_THROWS(Error, subarray(size, part, start, ArrayOrder::c, type));
  CHECK_THROWS(Error, f90_real(60, 10));
  CHECK_EQUAL(f90_real(15, -1)->size(), 8);
  CHECK_EQUAL(f90_integer(9)->size(), 4);
}

}  // namespace odonata::libmpi::tests::datatype_test
