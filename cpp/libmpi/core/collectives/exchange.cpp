#include "libmpi/core/collectives/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "libmpi/core/collectives/board.hpp"
#include "libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

namespace {

constexpr std::uint32_t exchanged = 0x10000;  // no collective of trace/call.hpp

Said wait_for(const Exchange& exchange, trace::Function function, std::uint32_t comm) {
  self().endpoint->wait({.function = static_cast<std::uint16_t>(function),
                         .answer = 0,
                         .peer = exchange.missing(),
                         .tag = 0,
                         .comm = comm},
                        [&] { return exchange.ready(); });
  return exchange.said();
}

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
    : members_(everyone(comm)), seats_(members_.size()) {
  std::iota(seats_.begin(), seats_.end(), 0);
  if (comm.inter() && members_.front() != comm.group->members.front())
    std::rotate(seats_.begin(), seats_.begin() + comm.remote->size(), seats_.end());
  begin(comm.identity, comm.next_collective++, mine, function);
}

Exchange::~Exchange() = default;

void Exchange::begin(std::uint64_t identity, std::uint64_t number, std::span<const std::byte> mine,
                     trace::Function function) {
  Endpoint& endpoint = *self().endpoint;
  const auto me = std::find(members_.begin(), members_.end(), endpoint.rank());
  const Seating seating{.identity = identity,
                        .number = number,
                        .members = members_,
                        .seat = static_cast<int>(me - members_.begin())};
  visit_ = std::make_unique<Visit>(endpoint, seating,
                                   Agreement{.what = exchanged, .root = -1, .function = function},
                                   mine.size());
  if (!mine.empty()) std::memcpy(visit_->mine().data(), mine.data(), mine.size());
  visit_->arrive({.need = Need::everybody});
}

bool Exchange::ready() const { return visit_->ready(); }

std::int32_t Exchange::missing() const { return visit_->missing(); }

Said Exchange::said() const {
  Said all;
  all.reserve(seats_.size());
  for (const int seat : seats_) {
    const std::span<const std::byte> one = visit_->contribution(seat);
    all.emplace_back(one.begin(), one.end());
  }
  return all;
}

Said exchange(Comm& comm, std::span<const std::byte> mine, trace::Function function) {
  return wait_for(Exchange(comm, mine, function), function, comm.number);
}

}  // namespace odonata::libmpi
