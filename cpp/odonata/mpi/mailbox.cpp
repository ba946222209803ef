#include "odonata/mpi/mailbox.hpp"

#include <algorithm>
#include <utility>

namespace odonata {

void Mailbox::push(Unmatched& first, Queue rest, const Unmatched& what) {
  if (first.number == Unmatched::nothing && (!rest_ || ((*rest_).*rest).empty())) {
    first = what;
    return;
  }
  if (!rest_) rest_ = std::make_unique<Rest>();
  ((*rest_).*rest).push_back(what);
}

template <class Fits>
std::optional<std::uint32_t> Mailbox::take(Unmatched& first, Queue rest, Fits fits) {
  if (first.number != Unmatched::nothing && fits(first))
    return std::exchange(first.number, Unmatched::nothing);
  if (!rest_) return std::nullopt;
  std::vector<Unmatched>& others = (*rest_).*rest;
  const auto found = std::find_if(others.begin(), others.end(), fits);
  if (found == others.end()) return std::nullopt;
  const std::uint32_t number = found->number;
  others.erase(found);
  return number;
}

std::vector<Unmatched> Mailbox::all(const Unmatched& first, Queue rest) const {
  std::vector<Unmatched> out;
  if (first.number != Unmatched::nothing) out.push_back(first);
  if (rest_) out.insert(out.end(), ((*rest_).*rest).begin(), ((*rest_).*rest).end());
  return out;
}

std::optional<std::uint32_t> Mailbox::arrive(const Envelope& envelope, std::uint32_t message) {
  const auto receive =
      take(posted_, &Rest::posted, [&](const Unmatched& p) { return p.envelope.takes(envelope); });
  if (!receive) push(unexpected_, &Rest::unexpected, {envelope, message});
  return receive;
}

std::optional<std::uint32_t> Mailbox::post(const Envelope& wanted, std::uint32_t request) {
  if (const auto message = take(wanted)) return message;
  push(posted_, &Rest::posted, {wanted, request});
  return std::nullopt;
}

std::optional<std::uint32_t> Mailbox::probe(const Envelope& wanted) const {
  const auto fits = [&](const Unmatched& u) { return wanted.takes(u.envelope); };
  if (unexpected_.number != Unmatched::nothing && fits(unexpected_)) return unexpected_.number;
  if (!rest_) return std::nullopt;
  const auto found = std::find_if(rest_->unexpected.begin(), rest_->unexpected.end(), fits);
  if (found == rest_->unexpected.end()) return std::nullopt;
  return found->number;
}

std::optional<std::uint32_t> Mailbox::take(const Envelope& wanted) {
  return take(unexpected_, &Rest::unexpected,
              [&](const Unmatched& u) { return wanted.takes(u.envelope); });
}

bool Mailbox::withdraw(std::uint32_t request) {
  return take(posted_, &Rest::posted, [&](const Unmatched& p) { return p.number == request; })
      .has_value();
}

std::vector<Unmatched> Mailbox::posted() const { return all(posted_, &Rest::posted); }

std::vector<Unmatched> Mailbox::unexpected() const { return all(unexpected_, &Rest::unexpected); }

}  // namespace odonata
