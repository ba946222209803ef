// Collectives of a program, played: beside computation, several at once, between two groups.
#include "calls.hpp"
#include "check.hpp"

namespace odonata::tests::playback_collective_test {
namespace {

using trace::Collective;
using trace::nobody;
using trace::Op;

std::vector<Script> alike(int ranks, const Script& calls) {
  return std::vector<Script>(ranks, calls);
}

TEST("playback/a nonblocking collective runs beside the program") {
  const Script overlap =
      Script().icollective(1, Collective::allreduce, 100).compute(5).wait(1).clock();
  const Played p = play_calls(alike(2, overlap));
  CHECK_EQUAL(p.answer(0, 1).now, 5'000);
  const Script wait = Script().icollective(1, Collective::allreduce, 100).wait(1);
  CHECK_EQUAL(play_calls(alike(2, wait)).answer(1, 0).now, hop + 100);
}

TEST("playback/nonblocking collectives of one communicator do not mix") {
  Script calls;
  calls.icollective(1, Collective::allreduce, 100)
      .icollective(2, Collective::allgather, 3'000)
      .icollective(3, Collective::barrier, 0)
      .collective(Collective::alltoall, 50)
      .requests(Op::wait, {3, 1, 2})
      .icollective(1, Collective::bcast, 70, 2)
      .send(nobody, 1)
      .wait(1);
  const Played p = play_calls(alike(6, calls));
  for (const Time end : p.ends) CHECK(end > 3 * hop);
}

TEST("playback/nonblocking collectives take the time of blocking ones") {
  for (const int ranks : {2, 5, 8}) {
    const Script one = Script().collective(Collective::allgather, 40);
    const Script two = Script().icollective(1, Collective::allgather, 40).wait(1);
    CHECK(play_calls(alike(ranks, one)).ends == play_calls(alike(ranks, two)).ends);
  }
}

TEST("playback/every collective with counts of its own") {
  std::vector<Script> calls(3);
  const std::vector<std::uint64_t> bytes{10, 0, 30};
  for (std::size_t r = 0; r < 3; ++r) {
    const auto mine = static_cast<Bytes>(bytes[r]);
    const std::vector<std::uint64_t> at_root = r == 2 ? bytes : std::vector<std::uint64_t>{};
    const std::uint64_t n = bytes[r];
    calls[r]
        .collective(Collective::allgatherv, mine, nobody, bytes)
        .collective(Collective::gatherv, mine, 2, at_root)
        .collective(Collective::scatterv, mine, 2, at_root)
        .collective(Collective::reduce_scatter, mine, nobody, bytes)
        .collective(Collective::alltoallv, 0, nobody, {n, n, n, 10, 0, 30})
        .collective(Collective::neighbor_alltoall, 0, nobody,
                    {1, (r + 2) % 3, 1, (r + 1) % 3, bytes[(r + 2) % 3], n})
        .collective(Collective::neighbor_allgather, mine, nobody,
                    {1, (r + 2) % 3, 1, (r + 1) % 3, bytes[(r + 2) % 3]});
    for (const Collective kind :
         {Collective::barrier, Collective::bcast, Collective::gather, Collective::scatter,
          Collective::reduce, Collective::allreduce, Collective::scan, Collective::exscan,
          Collective::reduce_scatter_block})
      calls[r].collective(kind, 24, 1);
  }
  const Played p = play_calls(calls);
  for (const Time end : p.ends) CHECK(end > hop);
}

TEST("playback/communicators number their ranks and keep their messages apart") {
  // Ranks 2 and 0 of the world, in this order: rank 0 of the communicator is rank 2.
  const Script zero = Script()
                          .communicator(2, 11, 1, {2, 0})
                          .communicator(3, 12, 1, {2, 0})
                          .recv(0)
                          .on(3)
                          .recv(0)
                          .on(2)
                          .collective(Collective::allreduce, 8)
                          .on(2);
  const Script two = Script()
                         .communicator(2, 11, 0, {2, 0})
                         .communicator(3, 12, 0, {2, 0})
                         .send(1, 10)
                         .on(2)
                         .send(1, 20)
                         .on(3)
                         .collective(Collective::allreduce, 8)
                         .on(2);
  const Played p = play_calls({zero, Script(), two});
  CHECK_EQUAL(p.answer(0, 0).outcomes.at(0).bytes, 20);
  CHECK_EQUAL(p.answer(0, 0).outcomes.at(0).source, 2);
  CHECK_EQUAL(p.answer(0, 1).outcomes.at(0).serial, 0U);
}

// Ranks 0 and 1 here, 2, 3 and 4 there.
std::vector<Script> two_groups() {
  std::vector<Script> calls(5);
  for (std::size_t r = 0; r < 5; ++r) {
    if (r < 2)
      calls[r].communicator(2, 5, static_cast<std::uint32_t>(r), {0, 1, 2, 3, 4}, 2);
    else
      calls[r].communicator(2, 5, static_cast<std::uint32_t>(r - 2), {2, 3, 4, 0, 1}, 3);
  }
  return calls;
}

TEST("playback/ranks of an intercommunicator are the other group's") {
  std::vector<Script> calls = two_groups();
  calls[1].send(2, 10).on(2);  // to rank 4 of the world
  calls[4].recv(1).on(2).clock();
  const Played p = play_calls(calls);
  CHECK_EQUAL(p.answer(4, 0).outcomes.at(0).source, 1);
  CHECK_EQUAL(p.answer(4, 1).now, hop + 10);
}

TEST("playback/a bcast between groups goes to the other leader, and on from there") {
  std::vector<Script> calls = two_groups();
  const int roots[] = {nobody, trace::any, 1, 1, 1};
  for (std::size_t r = 0; r < 5; ++r)
    calls[r].collective(Collective::bcast, 100, roots[r]).on(2).clock();
  const Played p = play_calls(calls);
  CHECK_EQUAL(p.answer(0, 0).now, 0);
  CHECK_EQUAL(p.answer(2, 0).now, hop + 100);
  CHECK_EQUAL(p.answer(3, 0).now, 2 * (hop + 100) + 100);  // rank 2 sends to rank 4 first
}

TEST("playback/every collective between groups ends") {
  std::vector<Script> calls = two_groups();
  for (std::size_t r = 0; r < 5; ++r) {
    const bool here = r < 2;
    const int root = here ? (r == 0 ? trace::any : nobody) : 0;
    const std::vector<std::uint64_t> remote(here ? 3U : 2U, 8);
    const std::vector<std::uint64_t> local =
        here ? std::vector<std::uint64_t>{9, 15} : std::vector<std::uint64_t>{8, 8, 8};
    std::vector<std::uint64_t> both = remote;
    both.insert(both.end(), remote.begin(), remote.end());
    for (const Collective kind :
         {Collective::scatter, Collective::gather, Collective::reduce, Collective::barrier,
          Collective::allreduce, Collective::allgather, Collective::alltoall})
      calls[r].collective(kind, 16, root).on(2);
    const std::vector<std::uint64_t> at_root = r == 0 ? remote : std::vector<std::uint64_t>{};
    calls[r].collective(Collective::gatherv, 8, root, at_root).on(2);
    calls[r].collective(Collective::scatterv, 8, root, at_root).on(2);
    calls[r].collective(Collective::allgatherv, 8, nobody, remote).on(2);
    calls[r].collective(Collective::alltoallv, 0, nobody, both).on(2);
    calls[r]
        .collective(Collective::reduce_scatter, static_cast<Bytes>(local[r < 2 ? r : r - 2]),
                    nobody, local)
        .on(2);
    calls[r].collective(Collective::reduce_scatter_block, here ? 12 : 8).on(2);
    calls[r].icollective(1, Collective::allreduce, 16).on(2).wait(1);
  }
  const Played p = play_calls(calls);
  for (const Time end : p.ends) CHECK(end > hop);
}

}  // namespace
}  // namespace odonata::tests::playback_collective_test
