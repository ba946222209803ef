// The end of a run that did not come to its end: who waits for whom.
#include "odonata/mpi/world.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

std::string with_tag(const std::string& what, std::int32_t tag) {
  return tag == any_tag ? what : what + " tag " + std::to_string(tag);
}

std::string joined(const std::vector<std::string>& waits) {
  std::string all;
  for (const std::string& wait : waits) all += (all.empty() ? " waits for " : ", for ") + wait;
  return all;
}

}  // namespace

void World::check_finished() const {
  constexpr int most_ranks = 8;
  const auto sends = unmatched_sends();
  std::string report;
  int blocked = 0;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(ranks_.size()); ++i) {
    const RankState& rank = ranks_[static_cast<std::size_t>(i)];
    if (rank.finished != never || ++blocked > most_ranks) continue;
    std::vector<std::string> waits = waits_of(i);
    if (const auto found = sends.find(i); found != sends.end())
      waits.insert(waits.end(), found->second.begin(), found->second.end());
    report += "; rank " + std::to_string(home(i).index) + " of job " + std::to_string(home(i).job) +
              (rank.call.empty() ? "" : " in " + std::string(rank.call)) + joined(waits);
  }
  if (blocked > most_ranks) report += "; ...";
  if (blocked > 0)
    throw DeadlockError("deadlock: " + std::to_string(blocked) +
                        " ranks wait for messages that nobody sends" + report);
}

// What it wants to receive or probe.
std::vector<std::string> World::waits_of(std::int32_t i) const {
  const RankState& rank = ranks_[static_cast<std::size_t>(i)];
  const auto name = [this](const Envelope& wanted) {
    const bool any = wanted.source == any_source;
    return with_tag(any ? "any rank" : "rank " + std::to_string(index_of(wanted.source)),
                    wanted.tag);
  };
  std::vector<std::string> waits;
  for (const Unmatched& p : rank.mailbox.posted())
    if (requests_[p.number].waited) waits.push_back(name(p.envelope));
  if (rank.probing != 0) waits.push_back(name(rank.probed));
  return waits;
}

// What ranks want to send, and nobody receives: by sender.
std::unordered_map<std::int32_t, std::vector<std::string>> World::unmatched_sends() const {
  std::unordered_map<std::int32_t, std::vector<std::string>> waits;
  for (const RankState& receiver : ranks_)
    for (const Unmatched& u : receiver.mailbox.unexpected()) {
      const MessageState& message = messages_[u.number];
      if (message.send_request == 0 || !requests_[message.send_request].waited) continue;
      waits[u.envelope.source].push_back(
          with_tag("rank " + std::to_string(index_of(message.to)) + " to receive", u.envelope.tag));
    }
  return waits;
}

}  // namespace odonata
