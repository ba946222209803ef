#include "preload/libmpi/core/collectives/exchange.hpp"

#include <algorithm>
#include <cstring>

#include "preload/libmpi/core/collectives/board.hpp"
#include "preload/libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

namespace {

constexpr std::uint32_t exchanged = 0x10000;  // no collective of trace/call.hpp

}  // namespace

std::vector<std::int32_t> everyone(const Comm& comm) {
  std::vector<std::int32_t> members = comm.group->members;
  if (!comm.inter()) return members;
  const std::vector<std::int32_t>& remote = comm.remote->members;
  const bool remote_first = remote.front() < members.front();
  members.insert(remote_first ? members.begin() : members.end(), remote.begin(), remote.end());
  return members;
}

Exchange::Exchange(Comm& comm, std::span<const std::byte> mine, trace::Function function)
    : group_(comm.group) {
  if (comm.inter()) both_ = everyone(comm);
  if (members().front() != group_->members.front())
    first_seat_ = static_cast<std::size_t>(comm.remote->size());
  begin(comm.identity, comm.next_collective++, mine, function);
}

Exchange::~Exchange() = default;

void Exchange::begin(std::uint64_t identity, std::uint64_t number, std::span<const std::byte> mine,
                     trace::Function function) {
  Endpoint& endpoint = *self().endpoint;
  const auto members = this->members();
  const auto me = std::ranges::find(members, endpoint.rank());
  const Seating seating{.identity = identity,
                        .number = number,
                        .members = members,
                        .seat = static_cast<int>(me - members.begin())};
  visit_ = std::make_unique<Visit>(endpoint, seating,
                                   Agreement{.what = exchanged, .root = -1, .function = function},
                                   mine.size());
  if (!mine.empty()) std::memcpy(visit_->mine().data(), mine.data(), mine.size());
  visit_->arrive({.need = Need::everybody});
}

bool Exchange::ready() const { return visit_->ready(); }

std::int32_t Exchange::missing() const { return visit_->missing(); }

std::span<const std::int32_t> Exchange::members() const {
  return both_.empty() ? group_->members : both_;
}

int Exchange::seat_of(std::size_t place) const {
  return static_cast<int>((first_seat_ + place) % members().size());
}

void Exchange::wait(trace::Function function, std::uint32_t comm) const {
  self().endpoint->wait({.function = static_cast<std::uint16_t>(function),
                         .answer = 0,
                         .peer = missing(),
                         .tag = 0,
                         .comm = comm},
                        [&] { return ready(); });
}

std::vector<std::byte> Exchange::said_by(std::size_t place) const {
  const std::span<const std::byte> one = visit_->contribution(seat_of(place));
  return {one.begin(), one.end()};
}

Said Exchange::said() const {
  Said all;
  all.reserve(members().size());
  for (std::size_t place = 0; place < members().size(); ++place) all.push_back(said_by(place));
  return all;
}

Said exchange(Comm& comm, std::span<const std::byte> mine, trace::Function function) {
  const Exchange exchange(comm, mine, function);
  exchange.wait(function, comm.number);
  return exchange.said();
}

}  // namespace odonata::libmpi
