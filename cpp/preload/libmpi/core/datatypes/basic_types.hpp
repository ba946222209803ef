// Layout and arithmetic of basic types that C++ does not name.
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

/// A complex number of a type that std::complex does not support.
template <class Component>
struct Pairwise {
  Component real, imaginary;

  friend Pairwise operator+(Pairwise a, Pairwise b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
  friend Pairwise operator*(Pairwise a, Pairwise b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  }
};
using QuadComplex = Pairwise<Quad>;

/// IEEE binary16; arithmetic is done in float.
class Half {
 public:
  Half() = default;
  Half(float value);  // NOLINT: as the other floating types convert
  operator float() const;  // NOLINT: the same

 private:
  std::uint16_t bits_;
};

using HalfComplex = Pairwise<Half>;

struct NoStorage {};

}  // namespace odonata::libmpi
