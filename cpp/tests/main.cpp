// Runs every registered test whose name contains the first argument (all without one).
#include <cstdio>
#include <exception>
#include <string_view>

#include "check.hpp"

namespace {

// True if no check failed and nothing was thrown.
bool passes(const check::Test& test) {
  const int before = check::state().failures;
  try {
    test.body();
  } catch (const std::exception& error) {
    check::fail(test.name, 0, error.what());
  }
  return check::state().failures == before;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  int run = 0, failed = 0;
  for (const check::Test& test : check::state().tests) {
    if (std::string_view(test.name).find(wanted) == std::string_view::npos) continue;
    ++run;
    if (passes(test)) continue;
    ++failed;
    std::printf("FAILED %s\n", test.name);
  }
  std::printf("%d tests, %d failed\n", run, failed);
  return failed != 0 || run == 0 ? 1 : 0;
}
