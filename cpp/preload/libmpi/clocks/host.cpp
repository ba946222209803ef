// Name of the node that a rank is on, where a program asks the system for it. A process that is no
// rank yet, or a child of one, finds the name in its environment.
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "preload/libmpi/clocks/real.hpp"

using odonata::clocks::answering;
using odonata::clocks::real;

namespace {

const char* simulated_host() {
  const odonata_clocks* those = answering();
  const char* host = those == nullptr ? nullptr : those->host();
  return host != nullptr ? host : std::getenv("ODONATA_HOST");
}

}  // namespace

// Functions of the C library are found once.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
extern "C" {

int gethostname(char* name, size_t length) noexcept {
  static auto* const function = real<decltype(gethostname)>("gethostname");
  const char* host = simulated_host();
  if (host == nullptr) return function(name, length);
  const std::size_t size = std::strlen(host) + 1;
  std::memcpy(name, host, std::min(size, length));
  if (size <= length) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

int uname(utsname* system) noexcept {
  static auto* const function = real<decltype(uname)>("uname");
  const int code = function(system);
  const char* host = code == 0 ? simulated_host() : nullptr;
  if (host == nullptr) return code;
  const std::size_t size = std::min(std::strlen(host), sizeof system->nodename - 1);
  std::memcpy(system->nodename, host, size);
  system->nodename[size] = 0;
  return code;
}
}
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)
