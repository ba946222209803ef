#include "odonata/workload/collective.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

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
