// Reductions against their definition, for 1 to 9 ranks.
#include "collective_calls.hpp"
#include "preload/libmpi/core/collectives/op.hpp"
#include "preload/libmpi/core/datatypes/type_constructors.hpp"

namespace odonata::libmpi::tests::reduction_test {

using namespace collective_calls;

namespace {

void test_sums() {
  const int me = my_rank(), n = world_size();
  Ints mine = vector_of(me), got(3, -1);
  const auto sum_call = [&](Collective kind, int root = odonata::trace::nobody) {
    CollectiveCall call = collective(kind, root);
    call.op = named_op(NamedOp::SUM);
    call.send = ints(mine, 3);
    call.recv = ints(got, 3);
    return call;
  };
  run_collective(sum_call(Collective::allreduce));
  CHECK_INTS(got, sum(0, n));
  run_collective(sum_call(Collective::scan));
  CHECK_INTS(got, sum(0, me + 1));
  got.assign(3, -1);
  run_collective(sum_call(Collective::exscan));
  CHECK_INTS(got, me == 0 ? Ints(3, -1) : sum(0, me));
  for (int root = 0; root < n; ++root) {
    got.assign(3, -1);
    wait(begin_collective(sum_call(Collective::reduce, root)));
    CHECK_INTS(got, me == root ? sum(0, n) : Ints(3, -1));
  }
  CollectiveCall in_place = sum_call(Collective::scan);
  got = mine;
  in_place.send = same_place();
  run_collective(in_place);
  CHECK_INTS(got, sum(0, me + 1));
}

void test_reduce_scatter() {
  const int me = my_rank(), n = world_size();
  std::vector<std::int64_t> counts(n);
  std::iota(counts.begin(), counts.end(), 0);
  const auto total = static_cast<std::size_t>(n * (n - 1) / 2);
  Ints mine(total), expected;
  for (std::size_t i = 0; i < total; ++i) mine[i] = me + static_cast<int>(i);
  for (int k = 0; k < me; ++k) expected.push_back(n * (n - 1) / 2 + n * (me * (me - 1) / 2 + k));
  Ints got(me, -1);
  CollectiveCall call = collective(Collective::reduce_scatter);
  call.op = named_op(NamedOp::SUM);
  call.send = ints(mine, 0);
  call.recv = ints(got, counts);
  call.recv.displacements.clear();
  run_collective(call);
  CHECK_INTS(got, expected);

  Ints blocks(n);
  for (int i = 0; i < n; ++i) blocks[i] = me * i;
  call.kind = Collective::reduce_scatter_block;
  call.send = same_place();
  call.recv = ints(blocks, 1);
  run_collective(call);
  CHECK_EQUAL(blocks[0], n * (n - 1) / 2 * me);
}

// 2 x 2 matrices do not commute.
void multiply(const void* in, void* inout, std::int64_t count, const Datatype& /*type*/) {
  const auto* a = static_cast<const int*>(in);
  auto* b = static_cast<int*>(inout);
  for (std::int64_t i = 0; i < count; ++i, a += 4, b += 4) {
    const Ints c{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                 a[2] * b[1] + a[3] * b[3]};
    std::copy(c.begin(), c.end(), b);
  }
}

Ints matrix(int rank) { return {1, rank % 3, rank % 2, 1}; }

Ints product(int end) {
  Ints result{1, 0, 0, 1};
  for (int rank = 0; rank < end; ++rank) {
    Ints right = matrix(rank);
    multiply(result.data(), right.data(), 1, *named_type(NamedType::T_INT));
    result = right;
  }
  return result;
}

void test_matrices(const TypeRef& type) {
  const int me = my_rank(), n = world_size();
  Ints mine = matrix(me), got(4, -1);
  for (const Collective kind :
       {Collective::allreduce, Collective::scan, Collective::exscan, Collective::reduce}) {
    got.assign(4, -1);
    CollectiveCall call =
        collective(kind, kind == Collective::reduce ? n / 2 : odonata::trace::nobody);
    call.op = std::make_shared<Op>(multiply, false);
    call.send = ints(mine, 1);
    call.recv = ints(got, 1);
    call.send.type = call.recv.type = type;
    run_collective(call);
    int end = n;
    if (kind == Collective::scan) end = me + 1;
    if (kind == Collective::exscan) end = me;
    const bool has_result = kind == Collective::exscan   ? me > 0
                            : kind == Collective::reduce ? me == n / 2
                                                         : true;
    CHECK_INTS(got, has_result ? product(end) : Ints(4, -1));
  }
}

void test_noncommutative() {
  const TypeRef int_type = named_type(NamedType::T_INT);
  test_matrices(contiguous(4, int_type));
  test_matrices(resized(contiguous(4, int_type), 0, 24));  // with a gap
}

}  // namespace

TEST("libmpi/collective/sums") { for_sizes(test_sums); }
TEST("libmpi/collective/reduce_scatter") { for_sizes(test_reduce_scatter); }
TEST("libmpi/collective/operations that do not commute") { for_sizes(test_noncommutative); }

}  // namespace odonata::libmpi::tests::reduction_test
