// The end of a run that did not come to its end: who waits for whom.
#include "odonata/mpi/world.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

std::string with_tag(const std::string& what, std::int32_t tag) {
  return tag == any_tag ? what : what + " tag " + std::to_string(tag);
}

std::string list_of(const std::vector<std::string>& waits) {
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
  for (std::int32_t i = 0; i < ranks_.size(); ++i) {
    const RankState& rank = ranks_[i];
    if (rank.finished != never || ++blocked > most_ranks) continue;
    std::vector<std::string> waits = waits_of(i);
    if (const auto found = sends.find(i); found != sends.end())
      waits.insert(waits.end(), found->second.begin(), found->second.end());
    report += "; rank " + std::to_string(ranks_.home(i).index) + " of job " +
              std::to_string(ranks_.home(i).job) +
              (rank.call.empty() ? "" : " in " + std::string(rank.call)) + list_of(waits);
  }
  if (blocked > most_ranks) report += "; ...";
  if (blocked > 0)
    throw DeadlockError("deadlock: " + std::to_string(blocked) +
                        " ranks wait for messages that no rank sends" + report);
}

// Envelopes that the rank wants to receive or probe.
std::vector<std::string> World::waits_of(std::int32_t i) const {
  const RankState& rank = ranks_[i];
  const auto name = [this](const Envelope& wanted) {
    const bool any = wanted.source == any_source;
    return with_tag(any ? "any rank" : "rank " + std::to_string(ranks_.home(wanted.source).index),
                    wanted.tag);
  };
  std::vector<std::string> waits;
  for (const Unmatched& p : rank.mailbox.posted())
    if (requests_.waited(p.number)) waits.push_back(name(p.envelope));
  if (rank.probing != 0) waits.push_back(name(rank.probed));
  return waits;
}

// Messages that ranks want to send and no rank receives, by sender.
std::unordered_map<std::int32_t, std::vector<std::string>> World::unmatched_sends() const {
  std::unordered_map<std::int32_t, std::vector<std::string>> waits;
  for (std::int32_t receiver = 0; receiver < ranks_.size(); ++receiver)
    for (const Unmatched& u : ranks_[receiver].mailbox.unexpected()) {
      const MessageState& message = transport_.message(u.number);
      if (!requests_.waited(message.departure.request)) continue;
      waits[u.envelope.source].push_back(with_tag(
          "rank " + std::to_string(ranks_.home(message.to).index) + " to receive", u.envelope.tag));
    }
  return waits;
}

}  // namespace odonata
