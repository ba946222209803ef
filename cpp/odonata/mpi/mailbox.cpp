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
Found Mailbox::take(Unmatched& first, Queue rest, Fits fits) {
  const bool has_first = first.number != Unmatched::nothing;
  if (has_first && fits(first)) return {std::exchange(first.number, Unmatched::nothing), 0};
  const std::uint32_t before = has_first ? 1 : 0;
  if (!rest_) return {Unmatched::nothing, before};
  std::vector<Unmatched>& others = (*rest_).*rest;
  const auto found = std::find_if(others.begin(), others.end(), fits);
  const std::uint32_t passed = before + static_cast<std::uint32_t>(found - others.begin());
  if (found == others.end()) return {Unmatched::nothing, passed};
  const std::uint32_t number = found->number;
  others.erase(found);
  return {number, passed};
}

std::vector<Unmatched> Mailbox::all(const Unmatched& first, Queue rest) const {
  std::vector<Unmatched> out;
  if (first.number != Unmatched::nothing) out.push_back(first);
  if (rest_) out.insert(out.end(), ((*rest_).*rest).begin(), ((*rest_).*rest).end());
  return out;
}

Found Mailbox::arrive(const Envelope& envelope, std::uint32_t message) {
  const Found receive =
      take(posted_, &Rest::posted, [&](const Unmatched& p) { return p.envelope.takes(envelope); });
  if (!receive) push(unexpected_, &Rest::unexpected, {envelope, message});
  return receive;
}

Found Mailbox::post(const Envelope& wanted, std::uint32_t request) {
  const Found message = take(wanted);
  if (!message) push(posted_, &Rest::posted, {wanted, request});
  return message;
}

std::optional<std::uint32_t> Mailbox::probe(const Envelope& wanted) const {
  const auto fits = [&](const Unmatched& u) { return wanted.takes(u.envelope); };
  if (unexpected_.number != Unmatched::nothing && fits(unexpected_)) return unexpected_.number;
  if (!rest_) return std::nullopt;
  const auto found = std::find_if(rest_->unexpected.begin(), rest_->unexpected.end(), fits);
  if (found == rest_->unexpected.end()) return std::nullopt;
  return found->number;
}

Found Mailbox::take(const Envelope& wanted) {
  return take(unexpected_, &Rest::unexpected,
              [&](const Unmatched& u) { return wanted.takes(u.envelope); });
}

bool Mailbox::withdraw(std::uint32_t request) {
  const auto is_it = [&](const Unmatched& p) { return p.number == request; };
  return static_cast<bool>(take(posted_, &Rest::posted, is_it));
}

std::vector<Unmatched> Mailbox::posted() const { return all(posted_, &Rest::posted); }

std::vector<Unmatched> Mailbox::unexpected() const { return all(unexpected_, &Rest::unexpected); }

}  // namespace odonata
