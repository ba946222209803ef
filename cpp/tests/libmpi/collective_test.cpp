// Every collective against its definition, for 1 to 9 ranks.
#include "collective_calls.hpp"
#include "preload/libmpi/core/collectives/exchange.hpp"
#include "preload/libmpi/core/collectives/op.hpp"
#include "preload/libmpi/core/requests/wait.hpp"
#include "preload/libmpi/core/topologies/topology.hpp"

namespace odonata::libmpi::tests::collective_test {

using namespace collective_calls;

namespace {

void test_bcast_and_gather() {
  const int me = my_rank(), n = world_size();
  for (int root = 0; root < n; ++root) {
    Ints buffer(3, me == root ? value(root, 7) : 0);
    CollectiveCall bcast = collective(Collective::bcast, root);
    bcast.recv = ints(buffer, 3);
    run_collective(bcast);
    CHECK_INTS(buffer, Ints(3, value(root, 7)));

    Ints mine(20, value(me, root)), all(static_cast<std::size_t>(20 * n), -1);
    CollectiveCall gather = collective(Collective::gather, root);
    gather.send = ints(mine, 20);
    if (me == root) gather.recv = ints(all, 20);
    run_collective(gather);
    if (me != root) continue;
    Ints expected;
    for (int i = 0; i < n; ++i) expected.insert(expected.end(), 20, value(i, root));
    CHECK_INTS(all, expected);
  }
}

void test_gatherv_and_scatterv() {
  const int me = my_rank(), n = world_size();
  std::vector<std::int64_t> counts(n);
  std::iota(counts.begin(), counts.end(), 0);
  Ints expected;
  for (int i = 0; i < n; ++i) expected.insert(expected.end(), static_cast<std::size_t>(i), i + 1);
  for (int root = 0; root < n; ++root) {
    Ints mine(me, me + 1), all(expected.size(), -1);
    CollectiveCall gather = collective(Collective::gatherv, root);
    gather.send = ints(mine, me);
    if (me == root) gather.recv = ints(all, counts);
    if (me == root && n > 2) {  // in place
      gather.send = same_place();
      std::fill_n(all.begin() + me * (me - 1) / 2, me, me + 1);
    }
    run_collective(gather);
    if (me == root) CHECK_INTS(all, expected);

    Ints back(me, -1);
    CollectiveCall scatter = collective(Collective::scatterv, root);
    if (me == root) scatter.send = ints(all, counts);
    scatter.recv = ints(back, me);
    run_collective(scatter);
    CHECK_INTS(back, mine);
  }
}

void test_scatter_in_place() {
  const int me = my_rank(), n = world_size();
  Ints all(2 * n), mine(2, -1);
  for (int i = 0; i < 2 * n; ++i) all[i] = i;
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

  std::vector<std::int64_t> counts(n, 2);
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
    const Said said = exchange(*self().world, bytes, Function::Comm_split);
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

// Each rank starts them in an order of its own, twice.
void test_persistent_in_any_order() {
  const int me = my_rank(), n = world_size();
  Ints buffer(2), mine(1, me), all(static_cast<std::size_t>(n));
  CollectiveCall bcast = collective(Collective::bcast, n - 1);
  bcast.recv = ints(buffer, 2);
  CollectiveCall gather = collective(Collective::allgather);
  gather.send = ints(mine, 1);
  gather.recv = ints(all, 1);
  const std::vector requests{init_collective(bcast), init_collective(gather),
                             init_collective(collective(Collective::barrier))};
  Ints ranks(n);
  std::iota(ranks.begin(), ranks.end(), 0);
  for (int round = 0; round < 2; ++round) {
    std::ranges::fill(buffer, me == n - 1 ? value(me, round) : 0);
    std::ranges::fill(all, -1);
    for (int i = 0; i < 3; ++i) start(Function::Start, {&requests[(me + round + i) % 3], 1});
    for (const RequestRef& request : requests) wait(request);
    CHECK_INTS(buffer, Ints(2, value(n - 1, round)));
    CHECK_INTS(all, ranks);
  }
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
TEST("libmpi/collective/neighbours of a ring") { for_sizes(test_neighbors_of_a_ring); }
TEST("libmpi/collective/neighbours of a graph") { for_sizes(test_neighbors_of_a_graph); }
TEST("libmpi/collective/intercommunicators") { for_sizes(test_two_groups); }
TEST("libmpi/collective/exchange") { for_sizes(test_exchange); }
TEST("libmpi/collective/many at once") { for_sizes(test_many_at_once); }
TEST("libmpi/collective/persistent, in any order") { for_sizes(test_persistent_in_any_order); }
TEST("libmpi/collective/memory is given back") { team::run(3, test_nothing_is_left); }
TEST("libmpi/collective/errors") { team::run(2, test_errors); }
TEST("libmpi/collective/mismatch") { team::run(2, test_mismatch); }

}  // namespace odonata::libmpi::tests::collective_test
