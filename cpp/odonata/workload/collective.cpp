#include "odonata/workload/collective.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "odonata/units/errors.hpp"
#include "odonata/workload/allgather/allgather.hpp"
#include "odonata/workload/allreduce/allreduce.hpp"
#include "odonata/workload/alltoall/alltoall.hpp"
#include "odonata/workload/barrier/barrier.hpp"
#include "odonata/workload/bcast/bcast.hpp"
#include "odonata/workload/gather/gather.hpp"
#include "odonata/workload/point_to_point/point_to_point.hpp"
#include "odonata/workload/reduce/reduce.hpp"
#include "odonata/workload/scatter/scatter.hpp"

namespace odonata {

namespace {

std::vector<Algorithm> table() {
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
      {"gather", "binomial", "up a binomial tree, as in MPICH", gather::binomial},
      {"bcast", "binomial", "down a binomial tree, as in MPICH for short messages",
       bcast::binomial},
      {"bcast", "scatter_allgather",
       "a binomial scatter and a ring allgather, as in MPICH for long messages",
       bcast::scatter_allgather},
      {"reduce", "binomial", "up a binomial tree, as in MPICH for short messages",
       reduce::binomial},
      {"allreduce", "recursive_doubling",
       "log2 n exchanges of all data, as in MPICH for short messages",
       allreduce::recursive_doubling},
      {"allreduce", "reduce_scatter_allgather",
       "recursive halving, then doubling (Rabenseifner), as in MPICH for long messages",
       allreduce::reduce_scatter_allgather},
      {"alltoall", "bruck", "ceil(log2 n) steps of about n/2 packed blocks (Bruck 1997)",
       alltoall::bruck},
      {"alltoall", "scattered", "isend and irecv to all others, in batches of 32",
       alltoall::scattered},
      {"alltoall", "pairwise", "n-1 exchanges with one peer each", alltoall::pairwise},
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
  const Bytes total = ranks * call.bytes;
  const bool power = std::has_single_bit(static_cast<unsigned>(ranks));
  if (power && total < s.allgather_doubling_total) return "recursive_doubling";
  return total < s.allgather_bruck_total ? "bruck" : "ring";
}

std::string select_alltoall(const Selection& s, int ranks, const Call& call) {
  if (call.bytes <= s.alltoall_bruck_block && ranks >= s.alltoall_bruck_ranks) return "bruck";
  return call.bytes <= s.alltoall_scattered_block ? "scattered" : "pairwise";
}

std::string select_allreduce(const Selection& s, int ranks, const Call& call) {
  const auto chunks = static_cast<Bytes>(std::bit_floor(static_cast<unsigned>(ranks)));
  const bool doubling =
      call.bytes <= s.allreduce_doubling || call.bytes / s.allreduce_value < chunks;
  return doubling ? "recursive_doubling" : "reduce_scatter_allgather";
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

constexpr Rule rules[] = {
    {"allgather", select_allgather}, {"alltoall", select_alltoall},
    {"allreduce", select_allreduce}, {"bcast", select_bcast},
    {"scatter", always<binomial>},   {"gather", always<binomial>},
    {"reduce", always<binomial>},    {"barrier", always<dissemination>},
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
