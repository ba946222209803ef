#include "odonata/workload/selection.hpp"

#include <algorithm>
#include <bit>

#include "odonata/units/errors.hpp"
#include "odonata/workload/openmpi.hpp"

namespace odonata {

namespace {

// True if there are too few values for each rank's chunk to have one.
bool too_few_to_halve(const Selection& s, int ranks, const Call& call) {
  const auto chunks = static_cast<Bytes>(std::bit_floor(static_cast<unsigned>(ranks)));
  return call.bytes / s.allreduce_value < chunks;
}

// The rules, as the rows of the operations name them.
namespace rules {

std::string by_total(const Selection& s, int ranks, const Call& call) {
  const Bytes total = call.blocks(output, 0, ranks).bytes;
  const bool power = std::has_single_bit(static_cast<unsigned>(ranks));
  if (power && total < s.allgather_doubling_total) return "recursive_doubling";
  return total < s.allgather_bruck_total ? "bruck" : "ring";
}

std::string by_block(const Selection& s, int ranks, const Call& call) {
  if (call.bytes <= s.alltoall_bruck_block && ranks >= s.alltoall_bruck_ranks) return "bruck";
  return call.bytes <= s.alltoall_scattered_block ? "scattered" : "pairwise";
}

std::string by_size_of_allreduce(const Selection& s, int ranks, const Call& call) {
  const bool doubling = call.bytes <= s.allreduce_doubling || too_few_to_halve(s, ranks, call);
  return doubling ? "recursive_doubling" : "reduce_scatter_allgather";
}

std::string by_size_of_reduce(const Selection& s, int ranks, const Call& call) {
  const bool tree = call.bytes <= s.reduce_binomial || too_few_to_halve(s, ranks, call);
  return tree ? "binomial" : "reduce_scatter_gather";
}

std::string by_total_of_blocks(const Selection& s, int ranks, const Call& call) {
  const Bytes total = call.blocks(input, 0, ranks).bytes;
  return total < s.reduce_scatter_halving_total ? "recursive_halving" : "pairwise";
}

std::string by_size_of_bcast(const Selection& s, int ranks, const Call& call) {
  const bool tree = call.bytes < s.bcast_binomial || ranks < s.bcast_binomial_ranks;
  return tree ? "binomial" : "scatter_allgather";
}

namespace openmpi = odonata::openmpi;

template <std::size_t length>
struct Name {
  char text[length];
  // NOLINTNEXTLINE(google-explicit-constructor): a template's argument is the text itself.
  constexpr Name(const char (&given)[length]) { std::copy_n(given, length, text); }
};

template <Name name>
std::string always(const Selection&, int, const Call&) {
  return name.text;
}

}  // namespace rules

struct Rules {
  Rule* mpich;
  Rule* openmpi;
};

constexpr Rules rules_of[] = {
#define ODONATA_OPERATION(name, root, sizes, moves, input, output, mpich, openmpi, ...)            \
  {rules::mpich, rules::openmpi},
#include "odonata/trace/collectives.inc"
#undef ODONATA_OPERATION
};

}  // namespace

Library library_named(const std::string& name) {
  if (name == "mpich") return Library::mpich;
  if (name == "openmpi" || name == "openmpi-4.1" || name == "openmpi-5.0") return Library::openmpi;
  throw UserError("MPI library: unknown", name, "mpich, openmpi, openmpi-4.1, openmpi-5.0");
}

std::string select(const Selection& thresholds, trace::Collective operation, int ranks,
                   const Call& call) {
  const Rules& rules = rules_of[static_cast<std::size_t>(operation)];
  const bool mpich = thresholds.library == Library::mpich;
  return (mpich ? rules.mpich : rules.openmpi)(thresholds, ranks, call);
}

}  // namespace odonata
