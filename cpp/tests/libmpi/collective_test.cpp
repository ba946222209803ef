// Every collective against what its definition says, for 1 to 9 ranks.
#include <numeric>

#include "libmpi/core/collective.hpp"
#include "libmpi/core/exchange.hpp"
#include "libmpi/core/op.hpp"
#include "libmpi/core/topology.hpp"
#include "libmpi/core/type_constructors.hpp"
#include "team.hpp"

using namespace odonata::libmpi;
using odonata::trace::Collective;

namespace {

using Ints = std::vector<int>;

BufferBlocks ints(Ints& values, std::int64_t count) {
  BufferBlocks result;
  result.data = values.data();
  result.count = count;
  result.type = named_type(NamedType::T_INT);
  return result;
}

BufferBlocks ints(Ints& values, const std::vector<std::int64_t>& counts) {
  BufferBlocks result = ints(values, 0);
  result.counts = counts;
  result.displacements.resize(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), result.displacements.begin(), 0);
  return result;
}

BufferBlocks same_place() {
  BufferBlocks result;
  result.in_place = true;
  return result;
}

CollectiveCall collective(Collective kind, int root = odonata::trace::nobody) {
  CollectiveCall call;
  call.function = Function::Barrier;
  call.kind = kind;
  call.comm = self().world;
  call.root = root;
  return call;
}

int my_rank() { return self().world->rank; }
int world_size() { return self().world->size(); }
int value(int from, int to, int i = 0) { return 10000 * from + 100 * to + i; }

void equal(const Ints& got, const Ints& expected, int line) {
  if (got == expected) return;
  std::string text = "rank " + std::to_string(my_rank()) + " of " + std::to_string(world_size());
  for (const int each : got) text += " " + std::to_string(each);
  text += " is not";
  for (const int each : expected) text += " " + std::to_string(each);
  check::fail(__FILE__, line, text);
}
#define CHECK_INTS(...) equal(__VA_ARGS__, __LINE__)

void for_sizes(const std::function<void()>& body) {
  for (int size = 1; size <= 9; ++size) team::run(size, body);
}

// Blocking, then not.
void both(const CollectiveCall& call) { run_collective(call); }

void wait(const RequestRef& request) {
  self().link->wait(request->waiting(), [&] { return request->ready(); });
  request->finish();
}

void test_bcast_and_gather() {
  const int me = my_rank(), n = world_size();
  for (int root = 0; root < n; ++root) {
    Ints buffer(3, me == root ? value(root, 7) : 0);
    CollectiveCall bcast = collective(Collective::bcast, root);
    bcast.recv = ints(buffer, 3);
    both(bcast);
    CHECK_INTS(buffer, Ints(3, value(root, 7)));

    Ints mine(20, value(me, root)), all(static_cast<std::size_t>(20 * n), -1);
    CollectiveCall gather = collective(Collective::gather, root);
    gather.send = ints(mine, 20);
    if (me == root) gather.recv = ints(all, 20);
    both(gather);
    if (me != root) continue;
    Ints expected;
    for (int i = 0; i < n; ++i) expected.insert(expected.end(), 20, value(i, root));
    CHECK_INTS(all, expected);
  }
}

void test_gatherv_and_scatterv() {
  const int me = my_rank(), n = world_size();
  std::vector<std::int64_t> counts(static_cast<std::size_t>(n));
  std::iota(counts.begin(), counts.end(), 0);
  Ints expected;
  for (int i = 0; i < n; ++i) expected.insert(expected.end(), static_cast<std::size_t>(i), i + 1);
  for (int root = 0; root < n; ++root) {
    Ints mine(static_cast<std::size_t>(me), me + 1), all(expected.size(), -1);
    CollectiveCall gather = collective(Collective::gatherv, root);
    gather.send = ints(mine, me);
    if (me == root) gather.recv = ints(all, counts);
    if (me == root && n > 2) {  // in place
      gather.send = same_place();
      std::fill_n(all.begin() + me * (me - 1) / 2, me, me + 1);
    }
    run_collective(gather);
    if (me == root) CHECK_INTS(all, expected);

    Ints back(static_cast<std::size_t>(me), -1);
    CollectiveCall scatter = collective(Collective::scatterv, root);
    if (me == root) scatter.send = ints(all, counts);
    scatter.recv = ints(back, me);
    run_collective(scatter);
    CHECK_INTS(back, mine);
  }
}

void test_scatter_in_place() {
  const int me = my_rank(), n = world_size();
  Ints all(static_cast<std::size_t>(2 * n)), mine(2, -1);
  for (int i = 0; i < 2 * n; ++i) all[static_cast<std::size_t>(i)] = i;
  CollectiveCall scatter = collective(Collective::scatter, n - 1);
  if (me == n - 1) scatter.send = ints(all, 2);
  scatter.recv = me == n - 1 ? same_place() : ints(mine, 2);
  run_collective(scatter);
  if (me < n - 1) CHECK_INTS(mine, Ints{2 * me, 2 * me + 1});
}

void test_allgather() {
  const int me = my_rank(), n = world_size();
  Ints expected;
  for (int i = 0; i < n; ++i) expected.insert(expected.end(), 2, value(i, 0));
  Ints mine(2, value(me, 0)), all(expected.size(), -1);
  CollectiveCall call = collective(Collective::allgather);
  call.send = ints(mine, 2);
  call.recv = ints(all, 2);
  run_collective(call);
  CHECK_INTS(all, expected);

  Ints in_place(expected.size(), -1);
  std::fill_n(in_place.begin() + 2 * me, 2, value(me, 0));
  call.send = same_place();
  call.recv = ints(in_place, 2);
  wait(begin_collective(call));
  CHECK_INTS(in_place, expected);

  std::vector<std::int64_t> counts(static_cast<std::size_t>(n), 2);
  Ints reversed(expected.size(), -1);
  call.kind = Collective::allgatherv;
  call.send = ints(mine, 2);
  call.recv = ints(reversed, counts);
  std::reverse(call.recv.displacements.begin(), call.recv.displacements.end());
  run_collective(call);
  Ints backwards;
  for (int i = n - 1; i >= 0; --i) backwards.insert(backwards.end(), 2, value(i, 0));
  CHECK_INTS(reversed, backwards);
}

void test_alltoall() {
  const int me = my_rank(), n = world_size();
  Ints mine, expected;
  for (int i = 0; i < n; ++i) {
    mine.push_back(value(me, i));
    expected.push_back(value(i, me));
  }
  Ints got(mine.size(), -1), in_place = mine;
  CollectiveCall call = collective(Collective::alltoall);
  call.send = ints(mine, 1);
  call.recv = ints(got, 1);
  run_collective(call);
  CHECK_INTS(got, expected);
  call.send = same_place();
  call.recv = ints(in_place, 1);
  run_collective(call);
  CHECK_INTS(in_place, expected);
}

// Rank i sends i + j elements to rank j; every second time as bytes, with types of their own.
void test_alltoallv() {
  const int me = my_rank(), n = world_size();
  std::vector<std::int64_t> counts;
  Ints mine, expected;
  for (int i = 0; i < n; ++i) {
    counts.push_back(me + i);
    for (int k = 0; k < me + i; ++k) {
      mine.push_back(value(me, i, k));
      expected.push_back(value(i, me, k));
    }
  }
  CollectiveCall call = collective(Collective::alltoallv);
  for (const bool own_types : {false, true}) {
    Ints got(mine.size(), -1);
    call.send = ints(mine, counts);
    call.recv = ints(got, counts);
    if (own_types)
      for (BufferBlocks* blocks : {&call.send, &call.recv}) {
        blocks->types.assign(counts.size(), named_type(NamedType::T_INT));
        for (std::int64_t& place : blocks->displacements) place *= 4;
      }
    run_collective(call);
    CHECK_INTS(got, expected);
  }
}

Ints vector_of(int rank) { return {rank + 1, 2 * rank, 5 - rank}; }

Ints sum(int first, int end) {
  Ints total(3);
  for (int rank = first; rank < end; ++rank)
    for (std::size_t i = 0; i < 3; ++i) total[i] += vector_of(rank)[i];
  return total;
}

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
  std::vector<std::int64_t> counts(static_cast<std::size_t>(n));
  std::iota(counts.begin(), counts.end(), 0);
  const auto total = static_cast<std::size_t>(n * (n - 1) / 2);
  Ints mine(total), expected;
  for (std::size_t i = 0; i < total; ++i) mine[i] = me + static_cast<int>(i);
  for (int k = 0; k < me; ++k) expected.push_back(n * (n - 1) / 2 + n * (me * (me - 1) / 2 + k));
  Ints got(static_cast<std::size_t>(me), -1);
  CollectiveCall call = collective(Collective::reduce_scatter);
  call.op = named_op(NamedOp::SUM);
  call.send = ints(mine, 0);
  call.recv = ints(got, counts);
  call.recv.displacements.clear();
  run_collective(call);
  CHECK_INTS(got, expected);

  Ints blocks(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) blocks[static_cast<std::size_t>(i)] = me * i;
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

void test_neighbors_of_a_ring() {
  const int me = my_rank(), n = world_size();
  auto topology = std::make_shared<Topology>();
  topology->dims = {n};
  topology->periods = {1};
  self().world->topology = topology;
  const int below = (me + n - 1) % n, above = (me + 1) % n;
  Ints mine{value(me, below), value(me, above, 1)}, got(2, -1);
  CollectiveCall call = collective(Collective::neighbor_alltoall);
  call.send = ints(mine, 1);
  call.recv = ints(got, 1);
  run_collective(call);
  CHECK_INTS(got, Ints{value(below, me, 1), value(above, me)});
  call.kind = Collective::neighbor_allgather;
  wait(begin_collective(call));
  CHECK_INTS(got, Ints{value(below, (below + n - 1) % n), value(above, me)});
}

void test_neighbors_of_a_graph() {  // everyone sends twice to the next
  const int me = my_rank(), n = world_size();
  auto topology = std::make_shared<Topology>();
  topology->kind = Topology::Kind::distributed_graph;
  topology->sources = Ints(2, (me + n - 1) % n);
  topology->destinations = Ints(2, (me + 1) % n);
  self().world->topology = topology;
  Ints mine{2 * me, 2 * me + 1}, got(2, -1);
  CollectiveCall call = collective(Collective::neighbor_alltoall);
  call.send = ints(mine, 1);
  call.recv = ints(got, 1);
  run_collective(call);
  const int from = (me + n - 1) % n;
  CHECK_INTS(got, Ints{2 * from, 2 * from + 1});
}

// Ranks below `half` and the others.
CommRef two_groups(int half) {
  auto comm = std::make_shared<Comm>();
  auto low = std::make_shared<Group>(), high = std::make_shared<Group>();
  for (int i = 0; i < world_size(); ++i) (i < half ? low : high)->members.push_back(i);
  const bool is_low = my_rank() < half;
  comm->group = is_low ? low : high;
  comm->remote = is_low ? high : low;
  comm->rank = is_low ? my_rank() : my_rank() - half;
  comm->identity = 99;
  return comm;
}

void test_two_groups() {
  const int n = world_size(), half = n / 2;
  if (half == 0) return;
  const CommRef comm = two_groups(half);
  const bool is_low = my_rank() < half;
  Ints mine = vector_of(my_rank()), got(3, -1);
  CollectiveCall call = collective(Collective::allreduce);
  call.comm = comm;
  call.op = named_op(NamedOp::SUM);
  call.send = ints(mine, 3);
  call.recv = ints(got, 3);
  run_collective(call);
  CHECK_INTS(got, is_low ? sum(half, n) : sum(0, half));

  call.kind = Collective::bcast;  // from the first of the high ranks
  call.op = nullptr;
  call.root = is_low ? 0 : comm->rank == 0 ? this_is_root : odonata::trace::nobody;
  call.send = {};
  call.recv = ints(is_low ? got : mine, 3);
  run_collective(call);
  if (is_low) CHECK_INTS(got, vector_of(half));

  call.kind = Collective::reduce;
  call.op = named_op(NamedOp::SUM);
  call.send = ints(mine, 3);
  call.recv = ints(got, 3);
  got.assign(3, -1);
  run_collective(call);
  if (call.root == this_is_root) CHECK_INTS(got, sum(0, half));
}

void test_exchange() {
  const std::string mine = "rank " + std::string(static_cast<std::size_t>(20 * my_rank()), 'x');
  const auto bytes = std::as_bytes(std::span(mine));
  for (int i = 0; i < 3; ++i) {
    const Said said =
        i == 1 ? exchange(self().world->group->members, 77, bytes, Function::Comm_create_group)
               : exchange(*self().world, bytes, Function::Comm_split);
    CHECK_EQUAL(said.size(), self().world->group->members.size());
    for (std::size_t rank = 0; rank < said.size(); ++rank)
      CHECK_EQUAL(said[rank].size(), 5 + 20 * rank);
  }
}

void test_many_at_once() {
  std::vector<RequestRef> requests;
  std::vector<Ints> got(50, Ints(1));
  Ints mine{my_rank()};
  for (Ints& each : got) {
    CollectiveCall call = collective(Collective::allreduce);
    call.op = named_op(NamedOp::SUM);
    call.send = ints(mine, 1);
    call.recv = ints(each, 1);
    requests.push_back(begin_collective(call));
  }
  for (auto request = requests.rbegin(); request != requests.rend(); ++request) wait(*request);
  for (const Ints& each : got) CHECK_EQUAL(each[0], world_size() * (world_size() - 1) / 2);
}

void test_nothing_is_left() {
  for (int i = 0; i < 20000; ++i) {  // more than an arena holds, were it not given back
    Ints mine(1000, i), got(1000);
    CollectiveCall call = collective(Collective::allreduce);
    call.op = named_op(NamedOp::MAX);
    call.send = ints(mine, 1000);
    call.recv = ints(got, 1000);
    run_collective(call);
    if (got[999] != i) check::fail(__FILE__, __LINE__, "wrong maximum");
  }
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what;
  }
  return "";
}

void test_errors() {
  const int me = my_rank();
  Ints buffer(4);
  CollectiveCall bcast = collective(Collective::bcast, 0);
  bcast.recv = ints(buffer, me == 0 ? 4 : 2);
  const std::string truncated = error_of([&] { run_collective(bcast); });
  CHECK_EQUAL(truncated, me == 0 ? "" : "16 bytes from rank 0 into a buffer of 8");
  bcast.root = 2;
  CHECK_EQUAL(error_of([&] { run_collective(bcast); }), "a root of 2 among 2 ranks");
  bcast.recv.count = -1;
  bcast.root = me;  // each says another: the second to come notices
  CHECK_EQUAL(error_of([&] { run_collective(bcast); }), "a count of -1");
}

void test_mismatch() {
  if (my_rank() == 1) usleep(200000);
  Ints buffer(1);
  CollectiveCall call = collective(Collective::bcast, my_rank());
  call.function = Function::Bcast;
  call.recv = ints(buffer, 1);
  CHECK_EQUAL(error_of([&] { run_collective(call); }),
              my_rank() == 0 ? ""
                             : "MPI_Bcast with root 1, where rank 0 called MPI_Bcast with root 0");
}

}  // namespace

TEST("libmpi/collective/bcast, gather") { for_sizes(test_bcast_and_gather); }
TEST("libmpi/collective/gatherv, scatterv") { for_sizes(test_gatherv_and_scatterv); }
TEST("libmpi/collective/scatter in place") { for_sizes(test_scatter_in_place); }
TEST("libmpi/collective/allgather") { for_sizes(test_allgather); }
TEST("libmpi/collective/alltoall") { for_sizes(test_alltoall); }
TEST("libmpi/collective/alltoallv") { for_sizes(test_alltoallv); }
TEST("libmpi/collective/sums") { for_sizes(test_sums); }
TEST("libmpi/collective/reduce_scatter") { for_sizes(test_reduce_scatter); }
TEST("libmpi/collective/operations that do not commute") { for_sizes(test_noncommutative); }
TEST("libmpi/collective/neighbours of a ring") { for_sizes(test_neighbors_of_a_ring); }
TEST("libmpi/collective/neighbours of a graph") { for_sizes(test_neighbors_of_a_graph); }
TEST("libmpi/collective/intercommunicators") { for_sizes(test_two_groups); }
TEST("libmpi/collective/exchange") { for_sizes(test_exchange); }
TEST("libmpi/collective/many at once") { for_sizes(test_many_at_once); }
TEST("libmpi/collective/memory is given back") { team::run(3, test_nothing_is_left); }
TEST("libmpi/collective/errors") { team::run(2, test_errors); }
TEST("libmpi/collective/mismatch") { team::run(2, test_mismatch); }
