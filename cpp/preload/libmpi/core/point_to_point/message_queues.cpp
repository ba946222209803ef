#include "preload/libmpi/core/point_to_point/message_queues.hpp"

#include <algorithm>

#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/point_to_point/receive.hpp"

namespace odonata::libmpi {

using live::Mail;

void MessageQueues::progress() {
  while (const Offset mail = endpoint_.take_mail()) {
    const Mail& message = endpoint_.mail_at(mail);
    const auto taker = std::ranges::find_if(
        posted_, [&](const Posted& posted) { return posted.envelope.takes(message); });
    if (taker == posted_.end()) {
      unexpected_.push_back(mail);
      continue;
    }
    taker->receive->take(mail);
    posted_.erase(taker);
  }
}

void MessageQueues::post(ReceiveRequest& receive) {
  if (const Offset mail = find(receive.envelope()))
    receive.take(take(mail));
  else
    posted_.push_back({receive.envelope(), &receive});
}

void MessageQueues::withdraw(ReceiveRequest& receive) {
  std::erase_if(posted_, [&](const Posted& posted) { return posted.receive == &receive; });
  const Offset mail = receive.mail();
  if (mail == 0) return;
  const Mail& given_back = endpoint_.mail_at(mail);
  const auto later = std::find_if(unexpected_.begin(), unexpected_.end(), [&](Offset other) {
    const Mail& m = endpoint_.mail_at(other);
    return m.source == given_back.source && m.serial > given_back.serial;
  });
  unexpected_.insert(later, mail);
}

Offset MessageQueues::find(const Envelope& envelope) const {
  for (const Offset mail : unexpected_)
    if (envelope.takes(endpoint_.mail_at(mail))) return mail;
  return 0;
}

Offset MessageQueues::take(Offset mail) {
  unexpected_.erase(std::find(unexpected_.begin(), unexpected_.end(), mail));
  return mail;
}

Offset MessageQueues::take(std::int32_t source, std::uint32_t serial) {
  progress();
  for (const Offset mail : unexpected_)
    if (endpoint_.mail_at(mail).source == source && endpoint_.mail_at(mail).serial == serial)
      return take(mail);
  throw Error{ErrorClass::intern, "the simulator matched message " + std::to_string(serial) +
                                      " of rank " + std::to_string(source) +
                                      ", which has not arrived"};
}

}  // namespace odonata::libmpi
