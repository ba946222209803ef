#include "preload/libmpi/core/shared_memory/pool.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace odonata::libmpi {

namespace {

constexpr std::size_t slab_bytes = std::size_t{1} << 20U;
constexpr std::size_t least_bytes = 64;

std::size_t size_of_block(std::size_t bytes) { return std::bit_ceil(std::max(bytes, least_bytes)); }

// Big blocks are allocated one by one.
bool pooled(std::size_t bytes) { return size_of_block(bytes) <= slab_bytes / 4; }

live::Bucket& pool_of(const Endpoint& endpoint, std::size_t bytes) {
  return endpoint.bucket(static_cast<std::uint64_t>(std::countr_zero(size_of_block(bytes))));
}

Offset next_of(const Endpoint& endpoint, Offset block) {
  Offset next = 0;
  std::memcpy(&next, endpoint.at(block), sizeof next);
  return next;
}

void push(const Endpoint& endpoint, live::Bucket& pool, Offset block) {
  std::memcpy(endpoint.at(block), &pool.first, sizeof pool.first);
  pool.first = block;
}

}  // namespace

Lock::Lock(const Endpoint& endpoint, live::Bucket& bucket) : lock_(bucket.lock) {
  for (int tries = 0; lock_.exchange(1, std::memory_order_acquire) != 0; ++tries) {
    if (tries < 64) continue;
    if (endpoint.header().ended.load() != 0) return;  // its holder may be dead; we end at once, too
    sched_yield();
  }
}

Offset take_block(Endpoint& endpoint, std::size_t bytes) {
  if (!pooled(bytes)) return endpoint.allocate(bytes);
  live::Bucket& pool = pool_of(endpoint, bytes);
  const Lock lock(endpoint, pool);
  if (pool.first == 0) {
    const std::size_t size = size_of_block(bytes);
    const std::size_t usable = slab_bytes - sizeof(live::Block);
    const Offset slab = endpoint.allocate(usable);
    for (std::size_t i = usable / size; i > 0; --i) push(endpoint, pool, slab + (i - 1) * size);
  }
  const Offset block = pool.first;
  pool.first = next_of(endpoint, block);
  return block;
}

void give_block(Endpoint& endpoint, Offset block, std::size_t bytes) {
  if (!pooled(bytes)) return endpoint.release(block);
  live::Bucket& pool = pool_of(endpoint, bytes);
  const Lock lock(endpoint, pool);
  push(endpoint, pool, block);
}

}  // namespace odonata::libmpi
