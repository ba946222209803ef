#include "libmpi/core/letters.hpp"

#include <algorithm>

#include "libmpi/core/error.hpp"
#include "libmpi/core/receive.hpp"

namespace odonata::libmpi {

using live::Mail;

void PointToPoint::progress() {
  while (const Offset mail = link_.take_mail()) {
    const Mail& letter = link_.mail_at(mail);
    const auto taker = std::ranges::find_if(
        receives_, [&](const Posted& posted) { return posted.wanted.takes(letter); });
    if (taker == receives_.end()) {
      kept_.push_back(mail);
      continue;
    }
    taker->receive->take(mail);
    receives_.erase(taker);
  }
}

void PointToPoint::post(ReceiveRequest& receive) {
  if (const Offset mail = find(receive.wanted()))
    receive.take(take(mail));
  else
    receives_.push_back({receive.wanted(), &receive});
}

void PointToPoint::withdraw(ReceiveRequest& receive) {
  std::erase_if(receives_, [&](const Posted& posted) { return posted.receive == &receive; });
  const Offset mail = receive.mail();
  if (mail == 0) return;
  const Mail& given_back = link_.mail_at(mail);
  const auto later = std::find_if(kept_.begin(), kept_.end(), [&](Offset other) {
    const Mail& m = link_.mail_at(other);
    return m.source == given_back.source && m.serial > given_back.serial;
  });
  kept_.insert(later, mail);
}

Offset PointToPoint::find(const Wanted& wanted) const {
  for (const Offset mail : kept_)
    if (wanted.takes(link_.mail_at(mail))) return mail;
  return 0;
}

Offset PointToPoint::take(Offset mail) {
  kept_.erase(std::find(kept_.begin(), kept_.end(), mail));
  return mail;
}

Offset PointToPoint::take(std::int32_t source, std::uint32_t serial) {
  progress();
  for (const Offset mail : kept_)
    if (link_.mail_at(mail).source == source && link_.mail_at(mail).serial == serial)
      return take(mail);
  throw Error{ErrorClass::intern, "the simulator matched message " + std::to_string(serial) +
                                      " of rank " + std::to_string(source) + ", which is not here"};
}

std::uint32_t PointToPoint::open_number() {
  if (free_numbers_.empty()) return ++num_numbers_;
  const std::uint32_t number = free_numbers_.back();
  free_numbers_.pop_back();
  return number;
}

}  // namespace odonata::libmpi
