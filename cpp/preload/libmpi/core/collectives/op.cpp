#include "preload/libmpi/core/collectives/op.hpp"

#include <array>
#include <string>

#include "preload/libmpi/core/collectives/reductions.hpp"
#include "preload/libmpi/core/environment/error.hpp"

namespace odonata::libmpi {

namespace {

bool for_all_types(NamedOp op) { return op == NamedOp::REPLACE || op == NamedOp::NO_OP; }

Reduction reduction_of(NamedOp op, const Datatype& type) {
  if (type.named())
    if (const Reduction found = reduction(op, *type.named())) return found;
  const std::string what = type.named() ? name_of(*type.named()) : "a type that the program made";
  throw Error{ErrorClass::op, std::string(name_of(op)) + " is not defined for " + what};
}

}  // namespace

void Op::check(const Datatype& type) const {
  if (predefined() && !for_all_types(named_)) (void)reduction_of(named_, type);
}

void Op::apply(const void* in, void* inout, std::int64_t count, const Datatype& type) const {
  if (count == 0 || (predefined() && named_ == NamedOp::NO_OP)) return;
  if (!predefined())
    function_(in, inout, count, type);
  else if (named_ == NamedOp::REPLACE)
    copy(in, count, type, inout, count, type);
  else
    reduction_of(named_, type)(in, inout, count);
}

const OpRef& named_op(NamedOp op) {
  static const std::array<OpRef, num_named_ops> all = [] {
    std::array<OpRef, num_named_ops> made;
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = std::make_shared<Op>(static_cast<NamedOp>(i));
    return made;
  }();
  return all[static_cast<std::size_t>(op)];
}

const char* name_of(NamedOp op) {
#define ODONATA_OP(name) "MPI_" #name,
  static constexpr const char* names[] = {ODONATA_NAMED_OPS(ODONATA_OP)};
#undef ODONATA_OP
  return names[static_cast<std::size_t>(op)];
}

}  // namespace odonata::libmpi
