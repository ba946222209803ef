// The datatypes that MPI names.
#include <algorithm>
#include <array>

#include "preload/libmpi/core/datatypes/basic_types.hpp"
#include "preload/libmpi/core/datatypes/datatype.hpp"

namespace odonata::libmpi {

namespace {

struct NamedInfo {
  const char* name;
  Kind kind;
  std::int64_t bytes, external_bytes, alignment;
  NamedType value, index;  // of a pair
};

template <class Storage>
constexpr NamedInfo basic(const char* name, Kind kind, std::int64_t external_bytes) {
  if (kind == Kind::marker) return {name, kind, 0, 0, 1, {}, {}};
  return {name, kind, sizeof(Storage), external_bytes, alignof(Storage), {}, {}};
}

constexpr auto infos = std::to_array<NamedInfo>({
#define ODONATA_TYPE(name, kind, storage, external)                                                \
  basic<storage>("MPI_" #name, Kind::kind, external),
#define ODONATA_PAIR(name, value, index)                                                           \
  NamedInfo{"MPI_" #name, Kind::pair, 0, 0, 1, NamedType::T_##value, NamedType::T_##index},
#include "preload/libmpi/core/datatypes/named_types.inc"
#undef ODONATA_PAIR
#undef ODONATA_TYPE
});
static_assert(infos.size() == num_named_types);

constexpr const NamedInfo& info(NamedType type) { return infos[static_cast<std::size_t>(type)]; }

TypeRef make_basic(NamedType type) {
  const NamedInfo& of = info(type);
  auto layout = std::make_shared<TypeLayout>();
  auto signature = std::make_shared<Signature>();
  Bounds bounds{.ub = of.bytes, .true_ub = of.bytes, .alignment = of.alignment};
  if (of.kind == Kind::marker) {
    bounds.fixed_lb = type == NamedType::T_LB;
    bounds.fixed_ub = type == NamedType::T_UB;
  } else {
    layout->add_run(0, of.bytes);
    signature->add(type, 1);
  }
  return std::make_shared<Datatype>(layout, signature, bounds, Contents{}, type);
}

/// Datatype of the C struct of a value and an index.
TypeRef make_pair(NamedType type) {
  const NamedInfo& value = info(info(type).value);
  const NamedInfo& index = info(info(type).index);
  const auto round_up = [](std::int64_t bytes, std::int64_t to) {
    return (bytes + to - 1) / to * to;
  };
  const std::int64_t place = round_up(value.bytes, index.alignment);
  auto layout = std::make_shared<TypeLayout>();
  layout->add_run(0, value.bytes);
  layout->add_run(place, index.bytes);
  auto signature = std::make_shared<Signature>();
  signature->add(info(type).value, 1);
  signature->add(info(type).index, 1);
  const std::int64_t alignment = std::max(value.alignment, index.alignment);
  const Bounds bounds{.ub = round_up(place + index.bytes, alignment),
                      .true_ub = place + index.bytes,
                      .alignment = alignment};
  return std::make_shared<Datatype>(layout, signature, bounds, Contents{}, type);
}

}  // namespace

const TypeRef& named_type(NamedType type) {
  static const std::array<TypeRef, num_named_types> all = [] {
    std::array<TypeRef, num_named_types> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
      const auto each = static_cast<NamedType>(i);
      made[i] = info(each).kind == Kind::pair ? make_pair(each) : make_basic(each);
    }
    return made;
  }();
  return all[static_cast<std::size_t>(type)];
}

const char* name_of(NamedType type) { return info(type).name; }
Kind kind_of(NamedType type) { return info(type).kind; }
std::int64_t size_of(NamedType type) { return info(type).bytes; }
std::int64_t external_size_of(NamedType type) { return info(type).external_bytes; }
NamedType value_of(NamedType pair) { return info(pair).value; }
NamedType index_of(NamedType pair) { return info(pair).index; }

std::optional<NamedType> pair_of(NamedType value, NamedType index) {
  for (std::size_t i = 0; i < infos.size(); ++i)
    if (infos[i].kind == Kind::pair && infos[i].value == value && infos[i].index == index)
      return static_cast<NamedType>(i);
  return std::nullopt;
}

}  // namespace odonata::libmpi
