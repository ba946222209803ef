#include "odonata/mpi/mailbox.hpp"

namespace odonata {

std::optional<Posted> Mailbox::arrive(const Envelope& envelope, std::uint32_t message) {
  auto receive = posted_.take([&](const Posted& p) { return p.wanted.takes(envelope); });
  if (!receive) unexpected_.push({envelope, message});
  return receive;
}

std::optional<std::uint32_t> Mailbox::post(const Posted& receive) {
  const auto found =
      unexpected_.take([&](const Unexpected& u) { return receive.wanted.takes(u.envelope); });
  if (found) return found->message;
  posted_.push(receive);
  return std::nullopt;
}

std::optional<std::uint32_t> Mailbox::probe(const Envelope& wanted) const {
  for (const Unexpected& u : unexpected_.all())
    if (wanted.takes(u.envelope)) return u.message;
  return std::nullopt;
}

}  // namespace odonata
