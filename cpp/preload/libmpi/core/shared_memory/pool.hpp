// Memory of collectives, which all ranks share.
//
// Blocks of one size lie together in slabs, whichever rank asked for them. A rank that reads a
// thousand contributions touches a few slabs in the place of a thousand arenas. (Each arena that a
// process touches costs a page of its page table: 4 GB for a thousand processes and arenas.)
#pragma once

#include <atomic>
#include <cstddef>

#include "preload/libmpi/core/shared_memory/endpoint.hpp"

namespace odonata::libmpi {

/// The first buckets hold free blocks, by the binary logarithm of their size.
inline constexpr std::uint32_t num_pools = 64;

/// A spin lock of a bucket. Its holder keeps it for some instructions and never sleeps.
class Lock {
 public:
  Lock(const Endpoint& endpoint, live::Bucket& bucket);
  ~Lock() { lock_.store(0, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::atomic<std::uint32_t>& lock_;
};

/// Memory for `bytes`, aligned to 16.
[[nodiscard]] Offset take_block(Endpoint& endpoint, std::size_t bytes);
/// Gives a block back, with the same `bytes` as in take_block().
void give_block(Endpoint& endpoint, Offset block, std::size_t bytes);

}  // namespace odonata::libmpi
