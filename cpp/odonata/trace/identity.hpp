// Identities of communicators: 64 bits on which all members agree and that no other communicator
// has. They follow from knowledge of each member, so that a recorder of a real run finds the
// identities of a simulated one without a message.
#pragma once

#include <cstdint>
#include <map>
#include <span>

namespace odonata::trace {

inline constexpr std::uint64_t world_identity = 1;
inline constexpr std::uint64_t golden_bits = 0x9e3779b97f4a7c15U;

[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ bits >> 27U) * 0x94d049bb133111ebU;
  return bits ^ bits >> 31U;
}

/// Identity of MPI_COMM_SELF of a rank of the world.
[[nodiscard]] constexpr std::uint64_t self_identity(std::int32_t rank) {
  return ~static_cast<std::uint64_t>(rank);
}

/// Identity of the n-th communicator (from 1) that all members of another one make together, where
/// `leader` is the rank in the world of the member that stands for the new one.
[[nodiscard]] constexpr std::uint64_t made_identity(std::uint64_t parent, std::uint64_t n,
                                                    std::int32_t leader) {
  return mixed(mixed(parent + golden_bits * n) + static_cast<std::uint64_t>(leader) + 1);
}

/// Identity of a communicator with the members of another one that collectives of their own need.
[[nodiscard]] constexpr std::uint64_t companion_identity(std::uint64_t parent, std::uint64_t key) {
  return mixed(mixed(parent) + golden_bits * (key + 1));
}

/// Identity of the local communicator of a group of an intercommunicator, whose first member is
/// this rank of the world.
[[nodiscard]] constexpr std::uint64_t local_identity(std::uint64_t identity, std::int32_t first) {
  return mixed(identity + golden_bits * (static_cast<std::uint64_t>(first) + 1));
}

/// Identities that the members alone agree on: each counts identities by members and key.
class AgreedIdentities {
 public:
  [[nodiscard]] std::uint64_t next(std::span<const std::int32_t> members, std::uint64_t key) {
    for (const std::int32_t member : members)
      key = mixed(key + static_cast<std::uint64_t>(member) + 1);
    return mixed(key + ++counts_[key]);
  }

 private:
  std::map<std::uint64_t, std::uint64_t> counts_;
};

/// Keys of such identities: of MPI_Comm_create_group, of the leaders of MPI_Intercomm_create, and
/// of the communicator that they make.
[[nodiscard]] constexpr std::uint64_t group_key(std::uint64_t parent, std::int32_t tag) {
  return mixed(parent + static_cast<std::uint64_t>(tag) + 1);
}
[[nodiscard]] constexpr std::uint64_t leaders_key(std::uint64_t peers, std::int32_t tag) {
  return mixed(~peers + static_cast<std::uint64_t>(tag));
}
[[nodiscard]] constexpr std::uint64_t between_key(std::int32_t tag) {
  return mixed(golden_bits + static_cast<std::uint64_t>(tag));
}

}  // namespace odonata::trace
