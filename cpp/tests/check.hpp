// The whole of our C++ test framework: named tests that register themselves, and two checks.
//
//     TEST("queue/equal times resolve by key") { CHECK_EQUAL(queue.pop().key, 1U); }
//
// A failed check is printed with both values; the test continues.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*body)();
};

struct State {
  std::vector<Test> tests;
  int failures = 0;  // checks that failed
};

inline State& state() {
  static State kept;
  return kept;
}

struct Register {
  Register(const char* name, void (*body)()) { state().tests.push_back({name, body}); }
};

inline void fail(const char* file, int line, const std::string& what) {
  ++state().failures;
  std::printf("%s:%d: failed: %s\n", file, line, what.c_str());
}

inline void that(bool holds, const char* text, const char* file, int line) {
  if (!holds) fail(file, line, text);
}

template <class A, class B>
void equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (a == b) return;
  std::ostringstream what;
  what << text << ": " << a << " is not " << b;
  fail(file, line, what.str());
}

template <class Error, class Body>
void throws(Body body, const char* text, const char* file, int line) {
  try {
    body();
  } catch (const Error&) {
    return;
  }
  fail(file, line, text);
}

}  // namespace check

#define CHECK_JOIN_(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN_(a, b)
#define TEST(name) TEST_NUMBERED(name, __COUNTER__)  // sources may be compiled together
#define TEST_NUMBERED(name, number)                                                                \
  static void CHECK_JOIN(test_, number)();                                                         \
  static const check::Register CHECK_JOIN(registered_, number)(name, CHECK_JOIN(test_, number));   \
  static void CHECK_JOIN(test_, number)()
#define CHECK(...) check::that(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_EQUAL(a, b) check::equal((a), (b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_THROWS(error, ...)                                                                   \
  check::throws<error>([&] { (void)(__VA_ARGS__); }, #__VA_ARGS__ " throws " #error, __FILE__,     \
                       __LINE__)
