#include "odonata/profile/profiler.hpp"

#include <algorithm>
#include <string_view>

#include "odonata/profile/contribution.hpp"
#include "odonata/trace/functions.hpp"

namespace odonata::profile {

namespace {

using trace::Call;
using trace::Found;
using trace::Op;
using Words = std::span<const std::uint64_t>;

constexpr double picosecond = 1e-12;
constexpr std::uint64_t first_cells = 16;

class Heap final : public Store {
 public:
  Cell* take(std::uint64_t capacity) override {
    next_.assign(capacity, Cell{});
    return next_.data();
  }
  void publish(std::uint64_t) override { cells_ = std::move(next_); }
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }

 private:
  std::vector<Cell> cells_, next_;
};

// Records of collectives for the cost of making a communicator are no collectives of the program's.
bool makes_communicators(std::string_view name) {
  for (const std::string_view start : {"MPI_Comm_", "MPI_Cart_", "MPI_Graph_", "MPI_Dist_graph_",
                                       "MPI_Intercomm_", "MPI_Psend_", "MPI_Precv_"})
    if (name.starts_with(start)) return true;
  return false;
}

// Communicators that a rank has besides the world and itself.
struct Members {
  std::vector<std::int32_t> peers;  // ranks in the world
  std::uint32_t size = 1;           // of both groups
  std::uint32_t position = 0;
};

}  // namespace

class Profiler::RankProfile {
 public:
  RankProfile(int rank, int ranks) : rank_(rank) {
    head.rank = rank;
    head.ranks = ranks;
    head.seconds_per_tick = picosecond;
    world_.size = static_cast<std::uint32_t>(ranks);
    world_.position = static_cast<std::uint32_t>(rank);
  }

  void learn(const Call& call, Words words) {
    Members& made = known_[call.comm];
    const std::size_t local = std::min<std::size_t>(call.communicator.num_local, words.size());
    made.peers.assign(words.begin() + static_cast<std::ptrdiff_t>(local), words.end());
    made.size = std::max(1U, static_cast<std::uint32_t>(words.size()));
    made.position = call.communicator.position;
  }
  [[nodiscard]] const Members& members(std::uint32_t comm) const {
    if (comm == 0) return world_;
    const auto found = known_.find(comm);
    return found == known_.end() ? self_ : found->second;
  }
  // Rank in the world; below 0 for no rank.
  [[nodiscard]] std::int32_t in_world(std::uint32_t comm, std::int32_t to) const {
    if (to < 0) return trace::nobody;
    if (comm == 0) return to < head.ranks ? to : trace::nobody;
    if (comm == 1) return to == 0 ? rank_ : trace::nobody;
    const std::vector<std::int32_t>& peers = members(comm).peers;
    const auto at = static_cast<std::size_t>(to);
    return at < peers.size() && peers[at] < head.ranks ? peers[at] : trace::nobody;
  }

  Head head{};
  Heap heap;
  Tally tally{head, heap, first_cells};

 private:
  int rank_;
  Members world_, self_;
  std::unordered_map<std::uint32_t, Members> known_;
};

Profiler::Profiler(int ranks) {
  for (int rank = 0; rank < ranks; ++rank)
    ranks_.push_back(std::make_unique<RankProfile>(rank, ranks));
  for (const std::string_view name : trace::function_names())
    makes_communicators_.push_back(makes_communicators(name));
}

Profiler::~Profiler() = default;

void Profiler::called(int rank, const Call& call, Words words, Found found, Time begin, Time end) {
  RankProfile& profile = *ranks_[static_cast<std::size_t>(rank)];
  Tally& tally = profile.tally;
  const auto now = static_cast<std::uint64_t>(end);
  if (call.op == Op::communicator) profile.learn(call, words);
  if (call.op == Op::phase) tally.mark(call.phase.level, now);
  tally.pass(now);
  if (call.op == Op::clock && call.clock.asker == trace::Asker::c_library) return;
  tally.call(call.function, trace::is_poll(call.op) ? found : Found::unknown,
             static_cast<std::uint64_t>(end - begin), call.times());
  if (makes_communicators_[call.function]) return;
  count_messages(profile, call);
  if (call.op == Op::collective || call.op == Op::icollective)
    count_collective(profile, call, words);
}

void Profiler::count_messages(RankProfile& profile, const Call& call) const {
  const trace::Kind kind = call.kind();
  if (kind != trace::Kind::send && kind != trace::Kind::exchange) return;
  const bool sends = kind == trace::Kind::send;
  const std::int32_t to = profile.in_world(call.comm, sends ? call.send.to : call.exchange.to);
  if (to < 0) return;
  const std::int64_t bytes = sends ? call.send.bytes : call.exchange.bytes;
  profile.tally.size(call.function, bytes);
  profile.tally.message(to, bytes);
}

void Profiler::count_collective(RankProfile& profile, const Call& call, Words words) const {
  const Members& members = profile.members(call.comm);
  const auto made = contribution(call.collective, words, members.size, members.position);
  const bool root = call.collective.root >= 0 &&
                    static_cast<std::uint32_t>(call.collective.root) == members.position;
  profile.tally.size(call.function, made.size);
  profile.tally.collective(call.collective.operation, members.size, root, made.share);
}

void Profiler::start(int rank, Time begin) {
  Head& head = ranks_[static_cast<std::size_t>(rank)]->head;
  if (head.latest == 0) head.start = head.phase_start = static_cast<std::uint64_t>(begin);
}

void Profiler::finish() {
  for (const auto& profile : ranks_) profile->tally.end(profile->head.latest);
}

const Head& Profiler::head(int rank) const { return ranks_[static_cast<std::size_t>(rank)]->head; }

std::vector<Cell> Profiler::cells(int rank) const {
  std::vector<Cell> found;
  for (const Cell& cell : ranks_[static_cast<std::size_t>(rank)]->heap.cells())
    if (cell.key != 0) found.push_back(cell);
  std::sort(found.begin(), found.end(), [](const Cell& a, const Cell& b) { return a.key < b.key; });
  return found;
}

}  // namespace odonata::profile
