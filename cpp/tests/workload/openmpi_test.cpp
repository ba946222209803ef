// Choices of Open MPI, read off coll_tuned_decision_fixed.c.
#include <string>

#include "check.hpp"
#include "odonata/units/errors.hpp"
#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/selection.hpp"

namespace odonata::tests::openmpi_test {
namespace {

using trace::Collective;

Selection openmpi() {
  Selection s;
  s.library = Library::openmpi;
  return s;
}

std::string chosen(Collective operation, int ranks, Bytes bytes) {
  return select(openmpi(), operation, ranks, {bytes});
}

TEST("openmpi/allgather by the size of a block") {
  CHECK_EQUAL(chosen(Collective::allgather, 2, 1 << 20), std::string("recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::allgather, 16, 1 << 20), std::string("recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::allgather, 17, 1 << 20), std::string("bruck"));  // no power of two
  CHECK_EQUAL(chosen(Collective::allgather, 32, 1023), std::string("recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::allgather, 32, 1024), std::string("neighbor_exchange"));
  CHECK_EQUAL(chosen(Collective::allgather, 63, 65536), std::string("ring"));
  CHECK_EQUAL(chosen(Collective::allgather, 256, 32), std::string("bruck"));
  CHECK_EQUAL(chosen(Collective::allgather, 256, 128), std::string("recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::allgather, 256, 524288), std::string("neighbor_exchange"));
  CHECK_EQUAL(chosen(Collective::allgather, 511, 1048576), std::string("ring"));
  CHECK_EQUAL(chosen(Collective::allgather, 4096, 1), std::string("recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::allgather, 4096, 4096), std::string("neighbor_exchange"));
}

TEST("openmpi/allgatherv by the mean block") {
  Counts counts;
  counts.blocks = Blocks(std::vector<Bytes>{3 * 2048, 0, 0});
  CHECK_EQUAL(select(openmpi(), Collective::allgatherv, 3, {0, 0, &counts}), std::string("ring"));
  CHECK_EQUAL(chosen(Collective::allgatherv, 20, 128), std::string("bruck"));
  CHECK_EQUAL(chosen(Collective::allgatherv, 20, 262144), std::string("ring"));
}

TEST("openmpi/bcast") {
  CHECK_EQUAL(chosen(Collective::bcast, 3, 31), std::string("pipeline"));
  CHECK_EQUAL(chosen(Collective::bcast, 3, 32), std::string("binary"));
  CHECK_EQUAL(chosen(Collective::bcast, 8, 7), std::string("knomial"));
  CHECK_EQUAL(chosen(Collective::bcast, 15, 32768), std::string("linear"));
  CHECK_EQUAL(chosen(Collective::bcast, 16, 1 << 20), std::string("scatter_recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::bcast, 63, 2047), std::string("binomial_growing"));
  CHECK_EQUAL(chosen(Collective::bcast, 64, 1), std::string("knomial"));
  CHECK_EQUAL(chosen(Collective::bcast, 255, 16384), std::string("linear"));
  CHECK_EQUAL(chosen(Collective::bcast, 256, 16384), std::string("split_binary"));
  CHECK_EQUAL(chosen(Collective::bcast, 1024, 524287), std::string("knomial"));
  CHECK_EQUAL(chosen(Collective::bcast, 4096, 8192), std::string("binary"));
}

TEST("openmpi/reduce") {
  CHECK_EQUAL(chosen(Collective::reduce, 3, 7), std::string("linear"));  // no value for each half
  CHECK_EQUAL(chosen(Collective::reduce, 3, 8), std::string("binary"));
  CHECK_EQUAL(chosen(Collective::reduce, 3, 16), std::string("pipeline"));
  CHECK_EQUAL(chosen(Collective::reduce, 7, 1 << 20), std::string("linear"));
  CHECK_EQUAL(chosen(Collective::reduce, 31, 4095), std::string("binary"));
  CHECK_EQUAL(chosen(Collective::reduce, 100, 8), std::string("binomial_ahead"));
  CHECK_EQUAL(chosen(Collective::reduce, 256, 8192), std::string("in_order_binary"));
  CHECK_EQUAL(chosen(Collective::reduce, 5000, 16), std::string("in_order_binary"));
}

// The table has a segmented ring for 16 to 31 ranks and less than 64 B, which needs a value a rank.
TEST("openmpi/allreduce, where too few values have another algorithm") {
  CHECK_EQUAL(chosen(Collective::allreduce, 16, 56), std::string("recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::allreduce, 3, 65536), std::string("ring"));
  CHECK_EQUAL(chosen(Collective::allreduce, 8, 8191), std::string("recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::allreduce, 8, 8192), std::string("reduce_scatter_allgather"));
  CHECK_EQUAL(chosen(Collective::allreduce, 64, 262143), std::string("recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::allreduce, 200, 131071), std::string("reduce_bcast"));
  CHECK_EQUAL(chosen(Collective::allreduce, 256, 4096), std::string("reduce_scatter_allgather"));
  CHECK_EQUAL(chosen(Collective::allreduce, 63, 248),
              std::string("linear"));  // 31 values, 32 ranks
  CHECK_EQUAL(chosen(Collective::allreduce, 1024, 2048), std::string("recursive_doubling"));
  CHECK_EQUAL(chosen(Collective::allreduce, 9000, 32768), std::string("linear"));
  CHECK_EQUAL(chosen(Collective::allreduce, 9000, 65536), std::string("reduce_scatter_allgather"));
}

TEST("openmpi/reduce_scatter by all blocks, reduce_scatter_block by one") {
  CHECK_EQUAL(chosen(Collective::reduce_scatter, 4, 1), std::string("reduce_scatterv"));  // 4 B
  CHECK_EQUAL(chosen(Collective::reduce_scatter, 4, 2), std::string("recursive_halving"));  // 8 B
  CHECK_EQUAL(chosen(Collective::reduce_scatter, 16, 16384), std::string("ring"));  // 256 KiB
  CHECK_EQUAL(chosen(Collective::reduce_scatter, 64, 64),
              std::string("distance_doubling"));  // 4 KiB
  CHECK_EQUAL(chosen(Collective::reduce_scatter_block, 32, 3), std::string("recursive_halving"));
  CHECK_EQUAL(chosen(Collective::reduce_scatter_block, 32, 16), std::string("distance_doubling"));
  CHECK_EQUAL(chosen(Collective::reduce_scatter_block, 32, 65536), std::string("reduce_scatterv"));
}

TEST("openmpi/gather and scatter by the size of a block") {
  CHECK_EQUAL(chosen(Collective::gather, 3, 1), std::string("linear_sync"));
  CHECK_EQUAL(chosen(Collective::gather, 7, 8191), std::string("linear_in_turn"));
  CHECK_EQUAL(chosen(Collective::gather, 100, 1 << 20), std::string("binomial"));
  CHECK_EQUAL(chosen(Collective::gather, 300, 2048), std::string("linear_in_turn"));
  CHECK_EQUAL(chosen(Collective::scatter, 3, 2), std::string("linear_in_turn"));
  CHECK_EQUAL(chosen(Collective::scatter, 64, 511), std::string("binomial"));
  CHECK_EQUAL(chosen(Collective::scatter, 64, 512), std::string("linear_in_order"));
}

TEST("openmpi/alltoall by the size of a block, alltoallv by the ranks") {
  CHECK_EQUAL(chosen(Collective::alltoall, 2, 65536), std::string("linear"));
  CHECK_EQUAL(chosen(Collective::alltoall, 2, 1 << 20), std::string("pairwise_ring"));
  CHECK_EQUAL(chosen(Collective::alltoall, 16, 3), std::string("linear"));
  CHECK_EQUAL(chosen(Collective::alltoall, 16, 511), std::string("bruck"));
  CHECK_EQUAL(chosen(Collective::alltoall, 256, 32767), std::string("linear"));
  CHECK_EQUAL(chosen(Collective::alltoall, 256, 32768), std::string("pairwise_ring"));
  CHECK_EQUAL(chosen(Collective::alltoallv, 3, 8), std::string("pairwise"));
  CHECK_EQUAL(chosen(Collective::alltoallv, 63, 8), std::string("linear"));
  CHECK_EQUAL(chosen(Collective::alltoallv, 1024, 8), std::string("linear"));
}

TEST("openmpi/all choices are algorithms") {
  for (const auto& row : trace::collective_operations)
    for (const int ranks : {1, 2, 3, 4, 8, 15, 16, 32, 64, 128, 255, 256, 512, 1024, 2048, 5000})
      for (Bytes bytes = 0; bytes < (Bytes{1} << 40); bytes = 2 * bytes + 1) {
        const std::string name(row.name);
        const Call call{bytes};
        const std::string found = select(openmpi(), *trace::collective_named(name), ranks, call);
        CHECK_EQUAL(algorithm(name, found).name, found);
      }
}

TEST("openmpi/libraries have names") {
  CHECK(library_named("mpich") == Library::mpich);
  CHECK(library_named("openmpi-5.0") == Library::openmpi);
  CHECK_THROWS(UserError, library_named("openmpi-3"));
}

}  // namespace
}  // namespace odonata::tests::openmpi_test
