#include "odonata/workload/playback/communicators.hpp"

#include <algorithm>

#include "odonata/units/errors.hpp"

namespace odonata::playback {

namespace {

constexpr std::int32_t contexts = 1024;  // of one communicator
constexpr std::int32_t for_messages = 0, for_blocking = 1, first_nonblocking = 2;

std::uint64_t identity_of(const trace::Call& call) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(call.peer2)) << 32 |
         static_cast<std::uint32_t>(call.tag2);
}

// Contexts wrap around after two million communicators; older ones are long out of use.
std::int32_t context_of(const Communicator& comm, std::int32_t which) {
  const auto block = static_cast<std::uint32_t>(comm.number) * static_cast<std::uint32_t>(contexts);
  return static_cast<std::int32_t>(block + static_cast<std::uint32_t>(which));
}

}  // namespace

Communicators::Communicators(const Rank& world, Job& job)
    : world_(world), job_(job), first_(world.number() - world.index()) {
  all_.push_back({0, nullptr, nullptr, world.index(), 0});
  all_.push_back({1, job.share({world.number()}), nullptr, 0, 0});
}

void Communicators::add(const trace::Record& record) {
  const trace::Call& call = record.call;
  const std::span<const std::uint64_t> words = record.words;
  if (call.bytes < 0 || static_cast<std::uint64_t>(call.bytes) > words.size())
    throw UserError("communicator: a local group that is larger than both");
  const auto locals = static_cast<std::size_t>(call.bytes);
  Communicator made{job_.number_of(identity_of(call)), nullptr, nullptr,
                    static_cast<std::int32_t>(call.request2), 0};
  if (locals > 0) made.remote = job_.share(numbers_of(words.subspan(locals)));
  std::vector<std::int32_t> local = numbers_of(locals == 0 ? words : words.first(locals));
  const bool world = local.size() == static_cast<std::size_t>(world_.size()) &&
                     std::is_sorted(local.begin(), local.end());
  if (!world) made.local = job_.share(std::move(local));
  if (call.comm >= all_.size()) all_.resize(call.comm + 1);
  all_[call.comm] = std::move(made);
}

std::vector<std::int32_t> Communicators::numbers_of(std::span<const std::uint64_t> ranks) const {
  std::vector<std::int32_t> numbers;
  numbers.reserve(ranks.size());
  for (const std::uint64_t rank : ranks) {
    if (rank >= static_cast<std::uint64_t>(world_.size()))
      throw UserError("communicator: rank " + std::to_string(rank) + " is not one of the job's " +
                      std::to_string(world_.size()));
    numbers.push_back(first_ + static_cast<std::int32_t>(rank));
  }
  return numbers;
}

std::size_t Communicators::place_of(std::uint32_t comm) const {
  if (comm >= all_.size() || all_[comm].number < 0)
    throw UserError("rank " + std::to_string(world_.index()) + " has no communicator number " +
                    std::to_string(comm));
  return comm;
}

std::int32_t Communicators::number_of(std::uint32_t comm, std::int32_t peer) const {
  const Communicator& c = at(comm);
  const Members& members = c.inter() ? c.remote : c.local;
  const auto size = members ? static_cast<std::int32_t>(members->size()) : world_.size();
  if (peer < 0 || peer >= size)
    throw UserError("rank " + std::to_string(peer) + " is not one of a communicator's " +
                    std::to_string(size));
  return members ? (*members)[static_cast<std::size_t>(peer)] : first_ + peer;
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
