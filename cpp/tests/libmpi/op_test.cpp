// Operations, with numbers that can be checked by hand.
#include "preload/libmpi/core/collectives/op.hpp"

#include <array>
#include <complex>
#include <limits>

#include "check.hpp"
#include "preload/libmpi/core/datatypes/basic_types.hpp"
#include "preload/libmpi/core/environment/error.hpp"

namespace odonata::libmpi::tests::op_test {

namespace {

template <class T, std::size_t n>
std::array<T, n> applied(NamedOp op, NamedType type, std::array<T, n> in, std::array<T, n> inout) {
  named_op(op)->apply(in.data(), inout.data(), static_cast<std::int64_t>(n), *named_type(type));
  return inout;
}

template <class T>
T applied_to(NamedOp op, NamedType type, T in, T inout) {
  return applied<T, 1>(op, type, {in}, {inout})[0];
}

bool defined(NamedOp op, NamedType type) {
  try {
    named_op(op)->check(*named_type(type));
    return true;
  } catch (const Error& error) {
    CHECK(error.error_class == ErrorClass::op);
    return false;
  }
}

}  // namespace

TEST("libmpi/integers are ordered, added, and taken as bits") {
  using A = std::array<int, 3>;
  const A a = {6, -1, 0}, b = {3, 4, 0};
  const auto type = NamedType::T_INT;
  CHECK((applied<int, 3>(NamedOp::MAX, type, a, b) == A{6, 4, 0}));
  CHECK((applied<int, 3>(NamedOp::MIN, type, a, b) == A{3, -1, 0}));
  CHECK((applied<int, 3>(NamedOp::SUM, type, a, b) == A{9, 3, 0}));
  CHECK((applied<int, 3>(NamedOp::PROD, type, a, b) == A{18, -4, 0}));
  CHECK((applied<int, 3>(NamedOp::LAND, type, a, b) == A{1, 1, 0}));
  CHECK((applied<int, 3>(NamedOp::LXOR, type, a, b) == A{0, 0, 0}));
  CHECK((applied<int, 3>(NamedOp::BAND, type, a, b) == A{2, 4, 0}));
  CHECK((applied<int, 3>(NamedOp::BOR, type, a, b) == A{7, -1, 0}));
  CHECK((applied<int, 3>(NamedOp::BXOR, type, a, b) == A{5, -5, 0}));
  CHECK((applied<int, 3>(NamedOp::REPLACE, type, a, b) == a));
  CHECK((applied<int, 3>(NamedOp::NO_OP, type, a, b) == b));
}

TEST("libmpi/sums of integers wrap around") {
  using Limits = std::numeric_limits<std::int16_t>;
  const auto sum = applied_to<std::int16_t>(NamedOp::SUM, NamedType::T_SHORT, Limits::max(), 1);
  CHECK_EQUAL(sum, Limits::min());
  const auto product = applied_to<std::uint8_t>(NamedOp::PROD, NamedType::T_UINT8_T, 200, 2);
  CHECK_EQUAL(int{product}, 144);
}

TEST("libmpi/floating, complex and logical types have their operations") {
  CHECK_EQUAL(applied_to(NamedOp::SUM, NamedType::T_REAL8, 0.5, 0.25), 0.75);
  CHECK_EQUAL(applied_to(NamedOp::MAX, NamedType::T_LONG_DOUBLE, 2.0L, 1.0L), 2.0L);
  using Complex = std::complex<double>;
  CHECK_EQUAL(
      applied_to(NamedOp::PROD, NamedType::T_C_DOUBLE_COMPLEX, Complex(1, 2), Complex(3, -1)),
      Complex(5, 5));
  CHECK_EQUAL(applied_to(NamedOp::LOR, NamedType::T_LOGICAL, 0, 7), 1);
  CHECK_EQUAL(applied_to(NamedOp::LXOR, NamedType::T_C_BOOL, true, true), false);
  const Half sum = applied_to(NamedOp::SUM, NamedType::T_REAL2, Half(1.5F), Half(0x1p-10F));
  CHECK_EQUAL(static_cast<float>(sum), 1.5009765625F);
  CHECK(applied_to<Quad>(NamedOp::SUM, NamedType::T_REAL16, 1, 2) == 3);
}

TEST("libmpi/binary16 rounds to even, and knows infinities and numbers below its smallest") {
  CHECK_EQUAL(static_cast<float>(Half(2049.0F)), 2048.0F);
  CHECK_EQUAL(static_cast<float>(Half(2051.0F)), 2052.0F);
  CHECK_EQUAL(static_cast<float>(Half(65504.0F)), 65504.0F);
  CHECK_EQUAL(static_cast<float>(Half(65520.0F)), std::numeric_limits<float>::infinity());
  CHECK_EQUAL(static_cast<float>(Half(-0x1p-24F)), -0x1p-24F);
  CHECK_EQUAL(static_cast<float>(Half(1023.75F * 0x1p-24F)), 0x1p-14F);
  CHECK_EQUAL(static_cast<float>(Half(0.333251953125F)), 0.333251953125F);
}

TEST("libmpi/of equal values, MAXLOC and MINLOC take the lower place") {
  struct Pair {
    double value;
    int place;
  };
  std::array<Pair, 3> in = {{{1, 5}, {2, 5}, {7, 2}}}, inout = {{{1, 3}, {4, 1}, {3, 9}}};
  auto most = inout;
  const auto& type = *named_type(NamedType::T_DOUBLE_INT);
  named_op(NamedOp::MAXLOC)->apply(in.data(), most.data(), 3, type);
  CHECK_EQUAL(most[0].place, 3);
  CHECK_EQUAL(most[1].place, 1);
  CHECK_EQUAL(most[2].place, 2);
  named_op(NamedOp::MINLOC)->apply(in.data(), inout.data(), 3, type);
  CHECK_EQUAL(inout[0].place, 3);
  CHECK_EQUAL(inout[1].place, 5);
  CHECK_EQUAL(inout[2].place, 9);
}

TEST("libmpi/operations are refused for types that they are not defined for") {
  CHECK(defined(NamedOp::BAND, NamedType::T_BYTE));
  CHECK(defined(NamedOp::MAX, NamedType::T_AINT));
  CHECK(defined(NamedOp::MAXLOC, NamedType::T_2INTEGER));
  CHECK(!defined(NamedOp::SUM, NamedType::T_BYTE));
  CHECK(!defined(NamedOp::BAND, NamedType::T_DOUBLE));
  CHECK(!defined(NamedOp::LAND, NamedType::T_FLOAT));
  CHECK(!defined(NamedOp::MAX, NamedType::T_COMPLEX));
  CHECK(!defined(NamedOp::SUM, NamedType::T_LOGICAL));
  CHECK(!defined(NamedOp::SUM, NamedType::T_DOUBLE_INT));
  CHECK(!defined(NamedOp::MAXLOC, NamedType::T_INT));
  CHECK(!defined(NamedOp::MAXLOC, NamedType::T_2COMPLEX));
}

}  // namespace odonata::libmpi::tests::op_test
