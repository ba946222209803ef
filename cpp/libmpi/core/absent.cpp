#include "libmpi/core/absent.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "libmpi/core/rank.hpp"

namespace odonata::libmpi {

namespace {

struct Part {
  std::string_view start;  // of the names after "MPI_"
  const char* what;
};

// The first that fits counts.
constexpr std::array parts{
    Part{"Win_", "one-sided communication is absent"},
    Part{"Put", "one-sided communication is absent"},
    Part{"Get_acc", "one-sided communication is absent"},
    Part{"Accumulate", "one-sided communication is absent"},
    Part{"Raccumulate", "one-sided communication is absent"},
    Part{"Rget", "one-sided communication is absent"},
    Part{"Rput", "one-sided communication is absent"},
    Part{"Fetch_and_op", "one-sided communication is absent"},
    Part{"Compare_and_swap", "one-sided communication is absent"},
    Part{"File_", "input and output through MPI are absent"},
    Part{"Register_datarep", "input and output through MPI are absent"},
    Part{"Session_", "sessions have no buffers of their own"},
    Part{"T_", "the interface for tools is absent"},
    Part{"Comm_spawn", "the set of processes is fixed"},
    Part{"Comm_connect", "the set of processes is fixed"},
    Part{"Comm_accept", "the set of processes is fixed"},
    Part{"Comm_join", "the set of processes is fixed"},
    Part{"Open_port", "the set of processes is fixed"},
    Part{"Close_port", "the set of processes is fixed"},
    Part{"Publish_name", "the set of processes is fixed"},
    Part{"Unpublish_name", "the set of processes is fixed"},
    Part{"Lookup_name", "the set of processes is fixed"},
};

const char* reason(std::string_view function) {
  const std::string_view name = function.substr(4);
  if (name == "Get" || name == "Get_c") return "one-sided communication is absent";
  for (const Part& part : parts)
    if (name.starts_with(part.start)) return part.what;
  return "the function is absent";
}

}  // namespace

std::string why_absent(std::string_view function) {
  return std::string(function) + " is not supported: " + reason(function);
}

void end_in_absent(std::string_view function) {
  const std::string what = why_absent(function);
  if (attached()) {
    Link& link = *self().link;
    link.abort(1, "odonata: rank " + std::to_string(link.rank()) + ": " + what);
  }
  std::fprintf(stderr, "odonata: %s\n", what.c_str());
  std::exit(1);
}

}  // namespace odonata::libmpi
