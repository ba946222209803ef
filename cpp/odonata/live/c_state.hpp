// State of the C library of which each fiber has its own: generators of random numbers, the place
// of strtok(), options of getopt(), keys of threads, the
// environment, functions to be called at the end.
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "odonata/live/environment.hpp"
#include "odonata/live/redirect.hpp"
#include "odonata/live/variables.hpp"

namespace odonata::live {

/// State of one fiber.
struct CState {
  struct Random {
    std::array<char, 128> words{};
    random_data data{};
    Random() { initstate_r(1, words.data(), words.size(), &data); }
  };
  /// A function to be called when the fiber ends.
  struct Last {
    void (*function)(void*);
    void* argument;
    const void* object;  // of the shared object that asked for it
    bool of_thread;      // is called before all that are not
  };

  std::unique_ptr<Random> random;
  std::unique_ptr<drand48_data> random48;
  char* token = nullptr;
  std::vector<void*> specific;  // values of keys
  std::vector<Last> last;
  Environment environment;
  int code = 0;          // of exit()
  bool had_threads = false;
  bool adopted = false;  // has the registrations made when its objects were loaded
};

/// Functions for programs that work on the state of the fiber that runs.
[[nodiscard]] std::vector<Redirection> c_functions();
/// Variables of the C library that getopt() and its callers use.
[[nodiscard]] std::vector<Piece> c_variables();
/// The state of the fiber that runs.
[[nodiscard]] CState& running_state();
/// Makes a state the current fiber's, in the thread that calls.
void use_c_state(CState& state);
/// Calls the C library's own handlers for an object, of the fiber that has adopted it.
void finalize(const void* object);
/// Calls the exit handlers of the fiber that runs, the last one first, on its exit with a code.
void call_last(CState& state, int code);

}  // namespace odonata::live
