#include "odonata/mpi/mailbox.hpp"

#include <algorithm>

namespace odonata {

std::optional<Posted> Mailbox::arrive(const Envelope& envelope, std::uint32_t message) {
  const auto found = std::find_if(posted_.begin(), posted_.end(), [&](const Posted& receive) {
    return receive.wanted.takes(envelope);
  });
  if (found == posted_.end()) {
    unexpected_.push_back({envelope, message});
    return std::nullopt;
  }
  const Posted taken = *found;
  posted_.erase(found);
  return taken;
}

std::optional<std::uint32_t> Mailbox::post(const Posted& receive) {
  const auto found = std::find_if(unexpected_.begin(), unexpected_.end(), [&](const Unexpected& u) {
    return receive.wanted.takes(u.envelope);
  });
  if (found == unexpected_.end()) {
    posted_.push_back(receive);
    return std::nullopt;
  }
  const std::uint32_t message = found->message;
  unexpected_.erase(found);
  return message;
}

std::optional<std::uint32_t> Mailbox::probe(const Envelope& wanted) const {
  const auto found = std::find_if(unexpected_.begin(), unexpected_.end(),
                                  [&](const Unexpected& u) { return wanted.takes(u.envelope); });
  if (found == unexpected_.end()) return std::nullopt;
  return found->message;
}

}  // namespace odonata
