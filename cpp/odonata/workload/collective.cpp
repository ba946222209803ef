#include "odonata/workload/collective.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "odonata/units/errors.hpp"
#include "odonata/workload/allgather/allgather.hpp"
#include "odonata/workload/allgatherv/allgatherv.hpp"
#include "odonata/workload/allreduce/allreduce.hpp"
#include "odonata/workload/alltoall/alltoall.hpp"
#include "odonata/workload/alltoallv/alltoallv.hpp"
#include "odonata/workload/barrier/barrier.hpp"
#include "odonata/workload/bcast/bcast.hpp"
#include "odonata/workload/exscan/exscan.hpp"
#include "odonata/workload/gather/gather.hpp"
#include "odonata/workload/gatherv/gatherv.hpp"
#include "odonata/workload/neighbor_allgather/neighbor_allgather.hpp"
#include "odonata/workload/neighbor_alltoall/neighbor_alltoall.hpp"
#include "odonata/workload/point_to_point/point_to_point.hpp"
#include "odonata/workload/reduce/reduce.hpp"
#include "odonata/workload/reduce_scatter/reduce_scatter.hpp"
#include "odonata/workload/scan/scan.hpp"
#include "odonata/workload/scatter/scatter.hpp"
#include "odonata/workload/scatterv/scatterv.hpp"

namespace odonata {

namespace {

std::vector<Algorithm> table() {
  const std::string halving = "log2 n exchanges of halves, as in MPICH for short messages";
  const std::string pairwise = "n-1 exchanges with one peer each, as in MPICH for long messages";
  return {
      {"allgather", "ring", "n-1 steps, each passing one block to the next rank", allgather::ring},
      {"allgather", "bruck",
       "ceil(log2 n) steps at distances 1, 2, 4, ... in scratch, then a rotation (Bruck 1997)",
       allgather::bruck},
      {"allgather", "recursive_doubling",
       "log2 n exchanges of growing subtrees; other counts as in MPICH",
       allgather::recursive_doubling},
      {"allgather", "neighbor_exchange",
       "n/2 steps of two blocks between neighbours (Chen 2005); a ring for odd counts",
       allgather::neighbor_exchange},
      {"allgather", "tar", "topology-aware ring: through all ranks by group, router and node",
       allgather::tar},
      {"allgatherv", "ring",
       "n-1 steps, each passing one block to the next rank, in chunks of 32 KiB, as in MPICH",
       allgatherv::ring},
      {"allgatherv", "bruck",
       "ceil(log2 n) steps at distances 1, 2, 4, ... in scratch, then a rotation, as in MPICH",
       allgatherv::bruck},
      {"allgatherv", "recursive_doubling",
       "log2 n exchanges of growing subtrees; other counts as in MPICH",
       allgatherv::recursive_doubling},
      {"scatter", "linear",
       "the root sends to each rank in random order, all sends under way at once", scatter::linear},
      {"scatter", "binomial", "halves of the blocks down a binomial tree, as in MPICH",
       scatter::binomial},
      {"scatter", "glf",
       "global links first: to a leader in each group, then to routers, then to nodes",
       scatter::glf},
      {"scatter", "llf",
       "local links first: to the routers of the root's group, which send to the groups they serve",
       scatter::llf},
      {"scatterv", "linear", "the root sends to each rank in turn, all sends at once, as in MPICH",
       scatterv::linear},
      {"gather", "linear", "every rank sends to the root, which has posted all receives",
       gather::linear},
      {"gather", "binomial", "up a binomial tree, as in MPICH", gather::binomial},
      {"gatherv", "linear",
       "every rank sends to the root, which has posted all receives, as in MPICH", gatherv::linear},
      {"bcast", "binomial", "down a binomial tree, as in MPICH for short messages",
       bcast::binomial},
      {"bcast", "scatter_allgather",
       "a binomial scatter and a ring allgather, as in MPICH for long messages",
       bcast::scatter_allgather},
      {"reduce", "binomial", "up a binomial tree, as in MPICH for short messages",
       reduce::binomial},
      {"reduce", "reduce_scatter_gather",
       "recursive halving, then a binomial gather (Rabenseifner), as in MPICH for long messages",
       reduce::reduce_scatter_gather},
      {"allreduce", "recursive_doubling",
       "log2 n exchanges of all data, as in MPICH for short messages",
       allreduce::recursive_doubling},
      {"allreduce", "reduce_scatter_allgather",
       "recursive halving, then doubling (Rabenseifner), as in MPICH for long messages",
       allreduce::reduce_scatter_allgather},
      {"allreduce", "ring",
       "2 (n-1) steps to the next rank: chunks are summed, then known (Patarasuk 2009)",
       allreduce::ring},
      {"reduce_scatter", "recursive_halving", halving, reduce_scatter::recursive_halving},
      {"reduce_scatter", "pairwise", pairwise, reduce_scatter::pairwise},
      {"reduce_scatter_block", "recursive_halving", halving, reduce_scatter::recursive_halving},
      {"reduce_scatter_block", "pairwise", pairwise, reduce_scatter::pairwise},
      {"scan", "recursive_doubling", "ceil(log2 n) exchanges of subtrees' sums, as in MPICH",
       scan::recursive_doubling},
      {"exscan", "recursive_doubling", "ceil(log2 n) exchanges of subtrees' sums, as in MPICH",
       exscan::recursive_doubling},
      {"alltoall", "bruck", "ceil(log2 n) steps of about n/2 packed blocks (Bruck 1997)",
       alltoall::bruck},
      {"alltoall", "scattered", "isend and irecv to all others, in batches of 32",
       alltoall::scattered},
      {"alltoall", "pairwise", "n-1 exchanges with one peer each", alltoall::pairwise},
      {"alltoallv", "scattered", "isend and irecv to all others, in batches of 32, as in MPICH",
       alltoallv::scattered},
      {"alltoallv", "pairwise", "n-1 exchanges with one peer each, as in Open MPI",
       alltoallv::pairwise},
      {"neighbor_allgather", "linear", "isend and irecv to all neighbours, as in MPICH",
       neighbor_allgather::linear},
      {"neighbor_alltoall", "linear", "isend and irecv to all neighbours, as in MPICH",
       neighbor_alltoall::linear},
      {"barrier", "dissemination", "ceil(log2 n) steps at distances 1, 2, 4, ...",
       barrier::dissemination},
  };
}

// Edits (insert, delete, replace) that make one word of the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

[[noreturn]] void refuse(const std::string& what, const std::string& given,
                         const std::vector<std::string>& known) {
  std::string all;
  for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
  const auto nearest = std::min_element(known.begin(), known.end(), [&](auto& a, auto& b) {
    return distance(given, a) < distance(given, b);
  });
  const bool near = distance(given, *nearest) <= std::max<std::size_t>(2, given.size() / 3);
  throw UserError("unknown " + what + " '" + given + "'" +
                  (near ? ", did you mean '" + *nearest + "'?" : std::string()) +
                  " (known: " + all + ")");
}

std::string select_allgather(const Selection& s, int ranks, const Call& call) {
  const Bytes total = call.blocks(output, 0, ranks).bytes;
  const bool power = std::has_single_bit(static_cast<unsigned>(ranks));
  if (power && total < s.allgather_doubling_total) return "recursive_doubling";
  return total < s.allgather_bruck_total ? "bruck" : "ring";
}

std::string select_alltoall(const Selection& s, int ranks, const Call& call) {
  if (call.bytes <= s.alltoall_bruck_block && ranks >= s.alltoall_bruck_ranks) return "bruck";
  return call.bytes <= s.alltoall_scattered_block ? "scattered" : "pairwise";
}

// Whether there are too few values for each rank's chunk to have one.
bool too_few_to_halve(const Selection& s, int ranks, const Call& call) {
  const auto chunks = static_cast<Bytes>(std::bit_floor(static_cast<unsigned>(ranks)));
  return call.bytes / s.allreduce_value < chunks;
}

std::string select_allreduce(const Selection& s, int ranks, const Call& call) {
  const bool doubling = call.bytes <= s.allreduce_doubling || too_few_to_halve(s, ranks, call);
  return doubling ? "recursive_doubling" : "reduce_scatter_allgather";
}

std::string select_reduce(const Selection& s, int ranks, const Call& call) {
  const bool tree = call.bytes <= s.reduce_binomial || too_few_to_halve(s, ranks, call);
  return tree ? "binomial" : "reduce_scatter_gather";
}

std::string select_reduce_scatter(const Selection& s, int ranks, const Call& call) {
  const Bytes total = call.blocks(input, 0, ranks).bytes;
  return total < s.reduce_scatter_halving_total ? "recursive_halving" : "pairwise";
}

std::string select_bcast(const Selection& s, int ranks, const Call& call) {
  const bool tree = call.bytes < s.bcast_binomial || ranks < s.bcast_binomial_ranks;
  return tree ? "binomial" : "scatter_allgather";
}

struct Rule {
  const char* operation;
  std::string (*select)(const Selection&, int, const Call&);
};

template <const char* const& name>
std::string always(const Selection&, int, const Call&) {
  return name;
}
constexpr const char* binomial = "binomial";
constexpr const char* dissemination = "dissemination";
constexpr const char* linear = "linear";
constexpr const char* recursive_doubling = "recursive_doubling";
constexpr const char* scattered = "scattered";

constexpr Rule rules[] = {
    {"allgather", select_allgather},
    {"allgatherv", select_allgather},
    {"scatter", always<binomial>},
    {"scatterv", always<linear>},
    {"gather", always<binomial>},
    {"gatherv", always<linear>},
    {"bcast", select_bcast},
    {"reduce", select_reduce},
    {"allreduce", select_allreduce},
    {"reduce_scatter", select_reduce_scatter},
    {"reduce_scatter_block", select_reduce_scatter},
    {"scan", always<recursive_doubling>},
    {"exscan", always<recursive_doubling>},
    {"alltoall", select_alltoall},
    {"alltoallv", always<scattered>},
    {"neighbor_allgather", always<linear>},
    {"neighbor_alltoall", always<linear>},
    {"barrier", always<dissemination>},
};

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> all = table();
  return all;
}

const std::vector<Algorithm>& point_to_point_patterns() {
  static const std::vector<Algorithm> all = {
      {"pingpong", "pairs", "rank i of the first half and rank i + n/2 send to each other in turn",
       point_to_point::pingpong},
      {"sendrecv", "ring", "everyone sends to the next rank and receives from the one before",
       point_to_point::sendrecv},
      {"exchange", "ring", "everyone sends to both neighbours and receives from both",
       point_to_point::exchange},
  };
  return all;
}

const Algorithm& algorithm(const std::string& operation, const std::string& name) {
  for (const Algorithm& a : point_to_point_patterns())
    if (a.operation == operation && a.name == name) return a;
  std::vector<std::string> operations, names;
  for (const Algorithm& a : algorithms()) {
    if (a.operation == operation && a.name == name) return a;
    if (operations.empty() || operations.back() != a.operation) operations.push_back(a.operation);
    if (a.operation == operation) names.push_back(a.name);
  }
  if (names.empty()) refuse("operation", operation, operations);
  names.push_back("auto");
  refuse(operation + " algorithm", name, names);
}

std::string select(const Selection& thresholds, const std::string& operation, int ranks,
                   const Call& call) {
  std::vector<std::string> operations;
  for (const Rule& rule : rules) {
    if (rule.operation == operation) return rule.select(thresholds, ranks, call);
    operations.emplace_back(rule.operation);
  }
  refuse("operation", operation, operations);
}

}  // namespace odonata
