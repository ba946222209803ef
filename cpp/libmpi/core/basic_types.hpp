// How the basic types that C++ has no name for lie in memory, and how to calculate with them.
#pragma once

#include <complex>
#include <cstdint>

namespace odonata::libmpi {

__extension__ using Integer16 = __int128;
#if defined(__SIZEOF_FLOAT128__)
__extension__ using Quad = __float128;
#else
using Quad = long double;
#endif

/// Two parts of a type that std::complex is not made for.
template <class Part>
struct Pairwise {
  Part real, imaginary;

  friend Pairwise operator+(Pairwise a, Pairwise b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
  friend Pairwise operator*(Pairwise a, Pairwise b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  }
};
using QuadComplex = Pairwise<Quad>;

/// IEEE binary16, calculated with as float.
class Half {
 public:
  Half() = default;
  Half(float value);  // NOLINT: as the other floating types convert
  operator float() const;

 private:
  std::uint16_t bits_;
};

struct HalfComplex {
  Half real, imaginary;

  friend HalfComplex operator+(HalfComplex a, HalfComplex b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
  friend HalfComplex operator*(HalfComplex a, HalfComplex b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  }
};

struct NoStorage {};

}  // namespace odonata::libmpi
