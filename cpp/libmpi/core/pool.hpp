// Memory of collectives, which all ranks take from and give back to.
//
// Blocks of one size lie together in slabs, whoever asked for them: a rank that reads what a
// thousand others brought touches a few slabs, not a thousand arenas. (Each arena that a process
// touches costs it a page of page table; a thousand processes and a thousand arenas, 4 GB.)
#pragma once

#include <atomic>
#include <cstddef>

#include "libmpi/core/link.hpp"

namespace odonata::libmpi {

/// The first buckets hold free blocks, by the binary logarithm of their size.
inline constexpr std::uint32_t num_pools = 64;

/// Holds a bucket for some instructions, never while its holder sleeps.
class Lock {
 public:
  Lock(const Link& link, live::Bucket& bucket);
  ~Lock() { lock_.store(0, std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::atomic<std::uint32_t>& lock_;
};

/// Memory for `bytes`, aligned to 16.
[[nodiscard]] Offset take_block(Link& link, std::size_t bytes);
/// The same `bytes` as when it was taken.
void give_block(Link& link, Offset block, std::size_t bytes);

}  // namespace odonata::libmpi
