#include "odonata/workload/playback/players.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "odonata/units/errors.hpp"
#include "odonata/workload/playback/rank_player.hpp"

namespace odonata::playback {

namespace {

constexpr const char* automatic = "auto";
constexpr std::int32_t first_number = 2;  // 0 is the world's, 1 is everyone's own

std::uint64_t hash(const std::vector<std::int32_t>& members) {
  std::uint64_t all = members.size();
  for (const std::int32_t m : members) all = mix(all ^ static_cast<std::uint32_t>(m));
  return all;
}

}  // namespace

Players::Players(std::shared_ptr<trace::Source> source, PlayOptions options)
    : source_(std::move(source)), options_(std::move(options)) {
  for (const auto& [operation, name] : options_.collectives)
    if (name != automatic) (void)algorithm(operation, name);
  for (std::size_t i = 0; i < num_kinds; ++i) {
    const std::string operation(trace::collective_operations[i].name);
    const auto chosen = options_.collectives.find(operation);
    if (chosen != options_.collectives.end() && chosen->second != automatic)
      chosen_[i] = &algorithm(operation, chosen->second);
  }
  if (options_.lookahead) source_->on_wait([this] { answer_polls_early(); });
  source_->on_stall([this](std::int64_t compute) { return reached_ + computing(compute); });
}

Time Players::computing(std::int64_t nanoseconds) const {
  if (nanoseconds <= 0) return 0;
  constexpr double picoseconds = 1000;  // a nanosecond
  const double time = static_cast<double>(nanoseconds) * picoseconds * options_.compute_scale;
  return std::llround(std::min(time, 2.0 * latest));
}

// While the source waits for one rank, other ranks that poll may continue.
void Players::answer_polls_early() {
  for (const RankPlayer* rank : std::exchange(pollers_, {})) rank->answer_poll_early();
}

// Polls end nearly in the order in which they began.
void Players::remove_poller(const RankPlayer& rank) {
  const auto place = std::find(pollers_.begin(), pollers_.end(), &rank);
  if (place != pollers_.end()) pollers_.erase(place);
}

const Algorithm& Players::algorithm_for(trace::Collective kind, int ranks, const Call& call) {
  const auto i = static_cast<std::size_t>(kind);
  if (chosen_[i] != nullptr) return *chosen_[i];
  Choice& recent = recent_[i];
  const bool alike = call.counts == nullptr;
  if (alike && recent.ranks == ranks && recent.bytes == call.bytes) return *recent.algorithm;
  const Algorithm& found = algorithm(std::string(trace::row_of(kind).name),
                                     select(options_.selection, kind, ranks, call));
  if (alike) recent = {ranks, call.bytes, &found};
  return found;
}

std::int32_t Players::number_of(std::uint64_t identity) {
  const auto next = first_number + static_cast<std::int32_t>(numbers_.size());
  return numbers_.try_emplace(identity, next).first->second;
}

Members Players::share(std::vector<std::int32_t> members) {
  const std::uint64_t key = hash(members);
  const auto [begin, end] = members_.equal_range(key);
  for (auto i = begin; i != end; ++i)
    if (*i->second == members) return i->second;
  auto made = std::make_shared<const std::vector<std::int32_t>>(std::move(members));
  return members_.emplace(key, std::move(made))->second;
}

}  // namespace odonata::playback
