#include "preload/libprofile/ticks.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

namespace odonata::libprofile {

bool counter_is_clock() {
#if defined(__x86_64__)
  const char* const path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[16] = {};
  const ssize_t got = read(file, text, sizeof text);
  close(file);
  return got == 4 && std::string_view(text, 4) == "tsc\n";
#else
  return false;
#endif
}

}  // namespace odonata::libprofile
