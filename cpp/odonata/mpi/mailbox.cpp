#include "odonata/mpi/mailbox.hpp"

namespace odonata {

std::optional<Posted> Mailbox::arrive(const Envelope& envelope, std::uint32_t message) {
  auto receive = posted_.take([&](const Posted& p) { return p.wanted.takes(envelope); });
  if (!receive) unexpected_.push({envelope, message});
  return receive;
}

std::optional<std::uint32_t> Mailbox::post(const Posted& receive) {
  if (const auto message = take(receive.wanted)) return message;
  posted_.push(receive);
  return std::nullopt;
}

std::optional<std::uint32_t> Mailbox::probe(const Envelope& wanted) const {
  const Unexpected* found =
      unexpected_.find([&](const Unexpected& u) { return wanted.takes(u.envelope); });
  if (found == nullptr) return std::nullopt;
  return found->message;
}

std::optional<std::uint32_t> Mailbox::take(const Envelope& wanted) {
  const auto found =
      unexpected_.take([&](const Unexpected& u) { return wanted.takes(u.envelope); });
  if (!found) return std::nullopt;
  return found->message;
}

bool Mailbox::withdraw(std::uint32_t request) {
  return posted_.take([&](const Posted& p) { return p.request == request; }).has_value();
}

}  // namespace odonata
