#include "preload/libmpi/core/collectives/reductions.hpp"

#include <cstring>
#include <type_traits>

#include "preload/libmpi/core/datatypes/basic_types.hpp"

namespace odonata::libmpi {

namespace {

/// Reads a value that need not be aligned.
template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T, class Operation>
void combine(const void* in, void* inout, std::int64_t count) {
  const auto* left = static_cast<const std::byte*>(in);
  auto* right = static_cast<std::byte*>(inout);
  for (std::int64_t i = 0; i < count; ++i, left += sizeof(T), right += sizeof(T)) {
    const T result = Operation::of(load<T>(left), load<T>(right));
    std::memcpy(right, &result, sizeof(T));
  }
}

// Sums and products of integers wrap around; they are calculated in unsigned types.
template <class T>
struct Arithmetic {
  using type = T;
};
template <class T>
  requires std::is_integral_v<T>
struct Arithmetic<T> {
  using type = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
};
template <>
struct Arithmetic<Integer16> {
  __extension__ using type = unsigned __int128;
};

struct Max {
  template <class T>
  static T of(T a, T b) {
    return a > b ? a : b;
  }
};
struct Min {
  template <class T>
  static T of(T a, T b) {
    return a < b ? a : b;
  }
};
struct Sum {
  template <class T>
  static T of(T a, T b) {
    using A = typename Arithmetic<T>::type;
    return static_cast<T>(static_cast<A>(a) + static_cast<A>(b));
  }
};
struct Product {
  template <class T>
  static T of(T a, T b) {
    using A = typename Arithmetic<T>::type;
    return static_cast<T>(static_cast<A>(a) * static_cast<A>(b));
  }
};
struct LogicalAnd {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != T{}) && (b != T{}));
  }
};
struct LogicalOr {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != T{}) || (b != T{}));
  }
};
struct LogicalXor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != T{}) != (b != T{}));
  }
};
struct BitAnd {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// A pair has the layout of a struct of its components. Among equal values the lower index wins.
template <class Value, class Index>
struct Located {
  Value value;
  Index index;
};
struct MaxLocation {
  template <class Pair>
  static Pair of(const Pair& a, const Pair& b) {
    if (a.value == b.value) return a.index < b.index ? a : b;
    return a.value > b.value ? a : b;
  }
};
struct MinLocation {
  template <class Pair>
  static Pair of(const Pair& a, const Pair& b) {
    if (a.value == b.value) return a.index < b.index ? a : b;
    return a.value < b.value ? a : b;
  }
};

template <class T>
Reduction order(NamedOp op) {
  if (op == NamedOp::MAX) return combine<T, Max>;
  if (op == NamedOp::MIN) return combine<T, Min>;
  return nullptr;
}

template <class T>
Reduction arithmetic(NamedOp op) {
  if (op == NamedOp::SUM) return combine<T, Sum>;
  if (op == NamedOp::PROD) return combine<T, Product>;
  return nullptr;
}

template <class T>
Reduction logical(NamedOp op) {
  if (op == NamedOp::LAND) return combine<T, LogicalAnd>;
  if (op == NamedOp::LOR) return combine<T, LogicalOr>;
  if (op == NamedOp::LXOR) return combine<T, LogicalXor>;
  return nullptr;
}

template <class T>
Reduction bits(NamedOp op) {
  if (op == NamedOp::BAND) return combine<T, BitAnd>;
  if (op == NamedOp::BOR) return combine<T, BitOr>;
  if (op == NamedOp::BXOR) return combine<T, BitXor>;
  return nullptr;
}

Reduction first_of(Reduction a, Reduction b) { return a != nullptr ? a : b; }

template <Kind kind, class T>
Reduction of_kind(NamedOp op) {
  if constexpr (kind == Kind::signed_integer || kind == Kind::unsigned_integer) {
    return first_of(first_of(order<T>(op), arithmetic<T>(op)),
                    first_of(logical<T>(op), bits<T>(op)));
  } else if constexpr (kind == Kind::floating) {
    return first_of(order<T>(op), arithmetic<T>(op));
  } else if constexpr (kind == Kind::complex) {
    return arithmetic<T>(op);
  } else if constexpr (kind == Kind::logical || kind == Kind::boolean) {
    return logical<T>(op);
  } else if constexpr (kind == Kind::byte) {
    return bits<T>(op);
  }
  return nullptr;
}

template <NamedType type>
struct Basic;
#define ODONATA_TYPE(name, kind_, storage_, external)                                              \
  template <>                                                                                      \
  struct Basic<NamedType::T_##name> {                                                              \
    using Storage = storage_;                                                                      \
    static constexpr Kind kind = Kind::kind_;                                                      \
  };
#define ODONATA_PAIR(name, value, index)
#include "preload/libmpi/core/datatypes/named_types.inc"
#undef ODONATA_PAIR
#undef ODONATA_TYPE

template <NamedType value, NamedType index>
Reduction of_pair(NamedOp op) {
  if constexpr (Basic<value>::kind != Kind::complex) {
    using Pair = Located<typename Basic<value>::Storage, typename Basic<index>::Storage>;
    if (op == NamedOp::MAXLOC) return combine<Pair, MaxLocation>;
    if (op == NamedOp::MINLOC) return combine<Pair, MinLocation>;
  }
  return nullptr;
}

}  // namespace

Reduction reduction(NamedOp op, NamedType type) {
  switch (type) {
#define ODONATA_TYPE(name, kind, storage, external)                                                \
  case NamedType::T_##name: return of_kind<Kind::kind, storage>(op);
#define ODONATA_PAIR(name, value, index)                                                           \
  case NamedType::T_##name: return of_pair<NamedType::T_##value, NamedType::T_##index>(op);
#include "preload/libmpi/core/datatypes/named_types.inc"
#undef ODONATA_PAIR
#undef ODONATA_TYPE
  }
  return nullptr;
}

}  // namespace odonata::libmpi
