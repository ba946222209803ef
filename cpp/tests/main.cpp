// Runs every registered test whose name contains one of the arguments (all without any).
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

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
  const std::vector<std::string_view> parts(argv + 1, argv + argc);
  const auto wanted = [&](std::string_view name) {
    return parts.empty() || std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
             return name.find(part) != name.npos;
           });
  };
  int run = 0, failed = 0;
  for (const check::Test& test : check::state().tests) {
    if (!wanted(test.name)) continue;
    ++run;
    if (passes(test)) continue;
    ++failed;
    std::printf("FAILED %s\n", test.name);
  }
  std::printf("%d tests, %d failed\n", run, failed);
  return failed != 0 || run == 0 ? 1 : 0;
}
