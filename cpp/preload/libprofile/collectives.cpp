#include "preload/libprofile/collectives.hpp"

#include <utility>

#include "odonata/profile/contribution.hpp"

namespace odonata::libprofile {

namespace {

// Lists the neighbours that exist.
void add_ranks(Words& words, const std::vector<std::int32_t>& ranks) {
  const std::size_t place = words.size();
  words.push_back(0);
  for (const std::int32_t rank : ranks) {
    if (rank < 0) continue;
    ++words[place];
    words.push_back(static_cast<std::uint64_t>(rank));
  }
}

void add_sizes(Words& words, const std::vector<std::int32_t>& ranks, const Words& sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (ranks[i] >= 0) words.push_back(sizes[i]);
}

// Roots between two groups have names of their own in a trace.
std::int32_t root_in_trace(const Comm& comm, int root) {
  if (!comm.inter) return root;
  if (root == MPI_ROOT) return trace::any;
  return root == MPI_PROC_NULL ? trace::nobody : root;
}

Collected collect_rooted(const Comm& comm, Collective operation, std::int32_t root,
                         std::int64_t bytes, Words words) {
  const trace::CollectiveCall call{.bytes = bytes, .root = root, .operation = operation};
  const auto position = static_cast<std::uint32_t>(comm.rank);
  const profile::Contribution made =
      profile::contribution(call, words, comm.num_members(), position);
  const bool is_root = root >= 0 && root == comm.rank;
  return {call, std::move(words), comm.num_members(), is_root, made.size, made.share};
}

}  // namespace

bool is_root(const Comm& comm, int root) {
  return comm.inter ? root == MPI_ROOT : root == comm.rank;
}

bool takes_part(const Comm& comm, int root) { return !comm.inter || root != MPI_PROC_NULL; }

Collected collect(const Comm& comm, Collective operation, int root, std::int64_t bytes,
                  Words words) {
  if (!takes_part(comm, root)) bytes = 0;
  return collect_rooted(comm, operation, root_in_trace(comm, root), bytes, std::move(words));
}

Collected collect(const Comm& comm, Collective operation, std::int64_t bytes, Words words) {
  return collect_rooted(comm, operation, trace::nobody, bytes, std::move(words));
}

Words neighborhood(const Comm& comm, const Words& from, const Words& to) {
  Words words;
  add_ranks(words, comm.sources);
  add_ranks(words, comm.destinations);
  add_sizes(words, comm.sources, from);
  add_sizes(words, comm.destinations, to);
  return words;
}

}  // namespace odonata::libprofile
