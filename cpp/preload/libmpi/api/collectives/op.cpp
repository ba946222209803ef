#include "preload/libmpi/api/collectives/op.hpp"

#include <algorithm>
#include <limits>

#include "preload/libmpi/api/datatypes/datatype.hpp"
#include "preload/libmpi/api/language_bindings/fortran.hpp"

namespace odonata::libmpi::api {

namespace {

/// The handle by which the program's function gets the datatype: the program's own handle unless it
/// was freed, then a temporary one.
class LentHandle {
 public:
  explicit LentHandle(const Datatype& type) {
    const auto known = handle_of(type);
    lent_ = !known;
    handle = known ? *known : add(type.shared_from_this());
  }
  ~LentHandle() {
    if (lent_) handles().types.remove(handle);
  }
  LentHandle(const LentHandle&) = delete;
  LentHandle& operator=(const LentHandle&) = delete;

  MPI_Datatype handle;

 private:
  bool lent_;
};

/// Calls a function whose counts are of type `Count`, several times if one count is too small.
template <class Count, class Apply>
void in_parts(const void* in, void* inout, std::int64_t count, std::int64_t extent,
              const Apply& function) {
  auto* left = static_cast<std::byte*>(const_cast<void*>(in));
  auto* right = static_cast<std::byte*>(inout);
  while (count > 0) {
    const std::int64_t part = std::min<std::int64_t>(count, std::numeric_limits<Count>::max());
    auto length = static_cast<Count>(part);
    function(left, right, &length);
    left += part * extent;
    right += part * extent;
    count -= part;
  }
}

template <class Count, class Function>
OpRef op_of_c(Function* function, bool commutative) {
  return std::make_shared<Op>(
      [function](const void* in, void* inout, std::int64_t count, const Datatype& type) {
        LentHandle datatype(type);
        in_parts<Count>(in, inout, count, type.extent(),
                        [&](void* left, void* right, Count* length) {
                          function(left, right, length, &datatype.handle);
                        });
      },
      commutative);
}

}  // namespace

OpRef user_op(MPI_User_function* function, bool commutative) {
  return op_of_c<int>(function, commutative);
}

OpRef user_op(MPI_User_function_c* function, bool commutative) {
  return op_of_c<MPI_Count>(function, commutative);
}

OpRef fortran_op(FortranFunction* function, bool commutative) {
  return std::make_shared<Op>(
      [function](const void* in, void* inout, std::int64_t count, const Datatype& type) {
        LentHandle datatype(type);
        int integer = abi::to_integer(MPI_DATATYPE_NULL, datatype.handle);
        in_parts<int>(in, inout, count, type.extent(), [&](void* left, void* right, int* length) {
          function(left, right, length, &integer);
        });
      },
      commutative);
}

namespace {

void reduce_local(const void* in, void* inout, std::int64_t count, MPI_Datatype datatype,
                  MPI_Op op) {
  const Buffer target = buffer(inout, count, datatype);
  (void)buffer(in, count, datatype);
#ifndef ODONATA_ABI_OPENMPI
  require(in != inout || count == 0, ErrorClass::buffer, "both buffers are the same");
#endif
  op_of(op)->check(*target.type);
  op_of(op)->apply(in, inout, count, *target.type);
}

}  // namespace

ODONATA_MPI(int, Op_create, (MPI_User_function * function, int commute, MPI_Op* op)) {
  return call(Function::Op_create, [&] {
    require(function != nullptr, ErrorClass::arg, "the function is a null pointer");
    out(op) = handles().ops.add(user_op(function, commute != 0));
  });
}

extern "C" __attribute__((visibility("default"))) int odonata_op_create(MPI_User_function* function,
                                                                        int commute, MPI_Op* op) {
  return call(Function::Op_create, [&] {
    auto* integers = reinterpret_cast<FortranFunction*>(function);
    out(op) = handles().ops.add(fortran_op(integers, commute != 0));
  });
}

ODONATA_MPI(int, Op_free, (MPI_Op * op)) {
  return call(Function::Op_free, [&] {
    require(!op_of(out(op))->predefined(), ErrorClass::op, "the operation is predefined");
    handles().ops.remove(out(op));
    out(op) = MPI_OP_NULL;
  });
}

ODONATA_MPI(int, Op_commutative, (MPI_Op op, int* commute)) {
  return call(Function::Op_commutative, [&] { out(commute) = op_of(op)->commutative() ? 1 : 0; });
}

ODONATA_MPI(int, Reduce_local,
            (const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)) {
  return call(Function::Reduce_local, [&] { reduce_local(inbuf, inoutbuf, count, datatype, op); });
}

#if MPI_VERSION >= 4
ODONATA_MPI(int, Op_create_c, (MPI_User_function_c * function, int commute, MPI_Op* op)) {
  return call(Function::Op_create_c, [&] {
    require(function != nullptr, ErrorClass::arg, "the function is a null pointer");
    out(op) = handles().ops.add(user_op(function, commute != 0));
  });
}

ODONATA_MPI(int, Reduce_local_c,
            (const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype,
             MPI_Op op)) {
  return call(Function::Reduce_local_c,
              [&] { reduce_local(inbuf, inoutbuf, count, datatype, op); });
}
#endif

}  // namespace odonata::libmpi::api
