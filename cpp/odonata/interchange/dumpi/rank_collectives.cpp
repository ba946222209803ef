// Collectives of a DUMPI trace.
#include <algorithm>
#include <numeric>

#include "odonata/interchange/dumpi/rank.hpp"

namespace odonata::interchange::dumpi {

namespace {

using trace::Collective;
using trace::Op;

std::vector<std::uint64_t> joined(std::vector<std::uint64_t> to,
                                  const std::vector<std::uint64_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
  return to;
}

}  // namespace

bool Rank::collective(Numbers& n) {
  const auto function = static_cast<Function>(call_.function);
  std::int64_t count = 0, type = 0, root = trace::nobody;
  const auto data = [&] { count = n.next(), type = n.next(); };
  const auto reduction = [&](Collective kind) {
    data(), n.next();
    all(kind, bytes(count, type), trace::nobody, n.next());
  };
  switch (function) {
    case Function::Barrier: return all(Collective::barrier, 0, trace::nobody, n.next()), true;
    case Function::Bcast:
      data(), root = n.next();
      return all(Collective::bcast, bytes(count, type), root, n.next()), true;
    case Function::Reduce:
      data(), n.next(), root = n.next();
      return all(Collective::reduce, bytes(count, type), root, n.next()), true;
    case Function::Allreduce: return reduction(Collective::allreduce), true;
    case Function::Scan: return reduction(Collective::scan), true;
    case Function::Exscan: return reduction(Collective::exscan), true;
    case Function::Allgather:
    case Function::Alltoall:  // the received bytes of both count: the sent ones may be in place
      n.next(), n.next(), data();
      return all(function == Function::Allgather ? Collective::allgather : Collective::alltoall,
                 bytes(count, type), trace::nobody, n.next()),
             true;
    case Function::Gather: return gather(n, Collective::gather), true;
    case Function::Scatter: return gather(n, Collective::scatter), true;
    default: return false;
  }
}

// The root's own block may be in place, so that it tells the others' instead.
void Rank::gather(Numbers& n, Collective kind) {
  n.next();
  const std::int64_t count = n.next(), type = n.next(), root = n.next(), comm = n.next();
  if (n.empty()) return all(kind, bytes(count, type), root, comm);
  const std::int64_t root_count = n.next(), root_type = n.next();
  all(kind, bytes(root_count, root_type), root, comm);
}

bool Rank::collective_of_sizes(Numbers& n) {
  std::int64_t count = 0, type = 0, root = 0, comm = 0;
  std::span<const std::int64_t> counts, from;
  switch (static_cast<Function>(call_.function)) {
    case Function::Gatherv:
      n.next(), n.next(), count = n.next(), type = n.next(), root = n.next(), comm = n.next();
      if (n.empty()) return false;
      if (call_.numbers.size() > 7) counts = n.array(), n.array();
      return all(Collective::gatherv, bytes(count, type), root, comm, blocks(counts, n.next())),
             true;
    case Function::Scatterv: {
      n.next(), n.next();
      const std::int64_t sent = n.next();
      count = n.next(), type = n.next(), root = n.next(), comm = n.next();
      if (!n.empty()) counts = n.array();
      return all(Collective::scatterv, bytes(count, type), root, comm, blocks(counts, sent)), true;
    }
    case Function::Allgatherv:
      n.next(), count = n.next(), type = n.next(), counts = n.array(), n.array();
      {
        const std::vector<std::uint64_t> sizes = blocks(counts, n.next());
        all(Collective::allgatherv, bytes(count, type), trace::nobody, n.next(), sizes);
      }
      return true;
    case Function::Reduce_scatter:
      n.next(), counts = n.array(), type = n.next(), n.next();
      return all(Collective::reduce_scatter, 0, trace::nobody, n.next(), blocks(counts, type)),
             true;
    case Function::Alltoallv: {
      n.next(), counts = n.array(), n.array(), type = n.next(), from = n.array(), n.array();
      const std::vector<std::uint64_t> received = blocks(from, n.next());
      const std::vector<std::uint64_t> sent = counts.empty() ? received : blocks(counts, type);
      return all(Collective::alltoallv, 0, trace::nobody, n.next(), joined(sent, received)), true;
    }
    case Function::Alltoallw: {
      std::vector<std::uint64_t> words;
      n.next();
      for (int half = 0; half < 2; ++half) {
        counts = n.array(), n.array(), from = n.array();  // of types
        for (std::size_t i = 0; i < counts.size() && i < from.size(); ++i)
          words.push_back(static_cast<std::uint64_t>(bytes(counts[i], from[i])));
      }
      return all(Collective::alltoallw, 0, trace::nobody, n.next(), std::move(words)), true;
    }
    default: return false;
  }
}

void Rank::all(Collective kind, std::int64_t bytes, std::int64_t root, std::int64_t comm,
               std::vector<std::uint64_t> words) {
  trace::Record& record = add(Op::collective);
  const trace::CollectiveOperation& row = trace::row_of(kind);
  const bool known = on(comm, record.call);
  const std::uint64_t size = known ? size_of(record.call.comm) : 0;
  const bool right_root = !row.rooted() || (root >= 0 && static_cast<std::uint64_t>(root) < size);
  bool right_words = words.empty() && row.sizes != trace::Sizes::of_ranks;
  if (row.sizes == trace::Sizes::of_pairs) right_words = words.size() == 2 * size;
  if (row.sizes == trace::Sizes::of_ranks || !words.empty())
    right_words = right_words || words.size() == size;
  if (known && (!right_root || !right_words)) ++anomalies_.misfits;
  if (!known || !right_root || !right_words) {
    record.call.op = Op::local;
    record.call.comm = 0;
    return;
  }
  record.call.set(trace::CollectiveCall{
      bytes, row.rooted() ? static_cast<std::int32_t>(root) : trace::nobody, kind});
  record.words = std::move(words);
}

}  // namespace odonata::interchange::dumpi
