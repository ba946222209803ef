#include "preload/libmpi/core/environment/absent.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "preload/libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

namespace {

struct Absence {
  std::string_view start;  // of the names after "MPI_"
  const char* why;
};

// The first entry that fits is used.
constexpr std::array absences{
    Absence{"Win_", "one-sided communication is absent"},
    Absence{"Put", "one-sided communication is absent"},
    Absence{"Get_acc", "one-sided communication is absent"},
    Absence{"Accumulate", "one-sided communication is absent"},
    Absence{"Raccumulate", "one-sided communication is absent"},
    Absence{"Rget", "one-sided communication is absent"},
    Absence{"Rput", "one-sided communication is absent"},
    Absence{"Fetch_and_op", "one-sided communication is absent"},
    Absence{"Compare_and_swap", "one-sided communication is absent"},
    Absence{"File_", "input and output through MPI are absent"},
    Absence{"Register_datarep", "input and output through MPI are absent"},
    Absence{"Session_", "sessions have no buffers of their own"},
    Absence{"T_", "the interface for tools is absent"},
    Absence{"Comm_spawn", "the set of processes is fixed"},
    Absence{"Comm_connect", "the set of processes is fixed"},
    Absence{"Comm_accept", "the set of processes is fixed"},
    Absence{"Comm_join", "the set of processes is fixed"},
    Absence{"Open_port", "the set of processes is fixed"},
    Absence{"Close_port", "the set of processes is fixed"},
    Absence{"Publish_name", "the set of processes is fixed"},
    Absence{"Unpublish_name", "the set of processes is fixed"},
    Absence{"Lookup_name", "the set of processes is fixed"},
};

const char* reason(std::string_view function) {
  const std::string_view name = function.substr(4);
  if (name == "Get" || name == "Get_c") return "one-sided communication is absent";
  for (const Absence& absence : absences)
    if (name.starts_with(absence.start)) return absence.why;
  return "the function is absent";
}

}  // namespace

std::string why_absent(std::string_view function) {
  return std::string(function) + " is not supported: " + reason(function);
}

void end_in_absent(std::string_view function) {
  const std::string what = why_absent(function);
  if (attached()) {
    Endpoint& endpoint = *self().endpoint;
    endpoint.abort(1, "odonata: rank " + std::to_string(endpoint.rank()) + ": " + what);
  }
  std::fprintf(stderr, "odonata: %s\n", what.c_str());
  std::exit(1);
}

}  // namespace odonata::libmpi
