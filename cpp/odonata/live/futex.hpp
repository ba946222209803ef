// Sleeping on a word of memory that processes share, and waking who sleeps on it.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace odonata::live {

/// Sleeps while the word is `seen`, or for so long at most.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen,
                       const timespec* most = nullptr) {
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, most, nullptr, 0);
}

inline void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace odonata::live
