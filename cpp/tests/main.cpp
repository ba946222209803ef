// Runs every registered test whose name contains one of the arguments (all without any), and none
// of those whose name contains the rest of an argument that begins with `--without=`. With `--even`
// or `--odd` first it runs every second one of these, for two processes side by side.
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
  std::vector<std::string_view> parts(argv + 1, argv + argc);
  const bool even = !parts.empty() && parts[0] == "--even";
  const bool odd = !parts.empty() && parts[0] == "--odd";
  if (even || odd) parts.erase(parts.begin());
  constexpr std::string_view without = "--without=";
  const auto first_left_out =
      std::stable_partition(parts.begin(), parts.end(),
                            [&](std::string_view part) { return !part.starts_with(without); });
  std::vector<std::string_view> left_out(first_left_out, parts.end());
  for (std::string_view& part : left_out) part.remove_prefix(without.size());
  parts.erase(first_left_out, parts.end());
  const auto wanted = [&](std::string_view name) {
    const auto contained = [&](std::string_view part) { return name.find(part) != name.npos; };
    return (parts.empty() || std::any_of(parts.begin(), parts.end(), contained)) &&
           std::none_of(left_out.begin(), left_out.end(), contained);
  };
  int found = 0, run = 0, failed = 0;
  for (const check::Test& test : check::state().tests) {
    if (!wanted(test.name)) continue;
    ++found;
    if (found % 2 == 0 ? odd : even) continue;
    ++run;
    if (passes(test)) continue;
    ++failed;
    std::printf("FAILED %s\n", test.name);
  }
  std::printf("%d tests, %d failed\n", run, failed);
  return failed != 0 || run == 0 ? 1 : 0;
}
