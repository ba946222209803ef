#include "odonata/workload/playback/communicators.hpp"

#include <algorithm>

#include "odonata/units/errors.hpp"

namespace odonata::playback {

namespace {

constexpr std::int32_t contexts = 1024;  // of one communicator
constexpr std::int32_t for_messages = 0, for_blocking = 1, first_nonblocking = 2;

// Contexts wrap around after two million communicators; older ones are long out of use.
std::int32_t context_of(const Communicator& comm, std::int32_t which) {
  const auto block = static_cast<std::uint32_t>(comm.number) * static_cast<std::uint32_t>(contexts);
  return static_cast<std::int32_t>(block + static_cast<std::uint32_t>(which));
}

}  // namespace

Communicators::Communicators(const Rank& world, Players& players)
    : world_(world), players_(players), first_(world.number() - world.index()) {
  all_.push_back({0, nullptr, nullptr, world.index(), 0});
  all_.push_back({1, players.share({world.number()}), nullptr, 0, 0});
}

void Communicators::add(const trace::Record& record) {
  const trace::Creation& call = record.call.communicator;
  const std::uint32_t number = record.call.comm;
  const std::span<const std::uint64_t> words = record.words;
  const std::size_t locals = call.num_local;
  if (locals > words.size())
    throw UserError("communicator: a local group that is larger than both");
  Communicator made{players_.number_of(call.identity), nullptr, nullptr,
                    static_cast<std::int32_t>(call.position), 0};
  if (locals > 0) made.remote = players_.share(numbers_of(words.subspan(locals)));
  std::vector<std::int32_t> local = numbers_of(locals == 0 ? words : words.first(locals));
  const bool world = local.size() == static_cast<std::size_t>(world_.size()) &&
                     std::is_sorted(local.begin(), local.end());
  if (!world) made.local = players_.share(std::move(local));
  if (number >= all_.size()) all_.resize(number + 1);
  all_[number] = std::move(made);
}

std::vector<std::int32_t> Communicators::numbers_of(std::span<const std::uint64_t> ranks) const {
  std::vector<std::int32_t> numbers;
  numbers.reserve(ranks.size());
  for (const std::uint64_t rank : ranks) {
    if (rank >= static_cast<std::uint64_t>(world_.size()))
      throw UserError("communicator: rank", rank, "0 to " + std::to_string(world_.size() - 1));
    numbers.push_back(first_ + static_cast<std::int32_t>(rank));
  }
  return numbers;
}

std::size_t Communicators::place_of(std::uint32_t comm) const {
  if (comm >= all_.size() || all_[comm].number < 0)
    throw UserError("rank " + std::to_string(world_.index()) + ": communicator", comm,
                    "numbers of communicators that it has made");
  return comm;
}

std::int32_t Communicators::number_of(std::uint32_t comm, std::int32_t peer) const {
  const Communicator& c = at(comm);
  const Members& members = c.inter() ? c.remote : c.local;
  const auto size = members ? static_cast<std::int32_t>(members->size()) : world_.size();
  if (peer < 0 || peer >= size)
    throw UserError("communicator: peer", peer, "0 to " + std::to_string(size - 1));
  return members ? (*members)[peer] : first_ + peer;
}

Envelope Communicators::envelope(std::uint32_t comm, std::int32_t source, std::int32_t tag) const {
  return {source == any_source ? any_source : number_of(comm, source), tag,
          context_of(at(comm), for_messages)};
}

Rank Communicators::for_collective(std::uint32_t comm, bool blocking) {
  Communicator& c = all_[place_of(comm)];
  const std::uint32_t turn =
      blocking ? 0 : c.started++ % static_cast<std::uint32_t>(contexts - first_nonblocking);
  const std::int32_t context =
      context_of(c, blocking ? for_blocking : first_nonblocking + static_cast<std::int32_t>(turn));
  return c.local ? world_.on(c.local, c.place, context) : world_.with_context(context);
}

}  // namespace odonata::playback
