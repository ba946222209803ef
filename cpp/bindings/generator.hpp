// Rank programs written in Python: generators that yield requests they wait for.
#pragma once

#include <optional>

#include "bind.hpp"
#include "odonata/workload/algorithms.hpp"

/// A value that a Python rank program yields: requests, a time to sleep until, or a collective.
struct Waiting {
  std::vector<odonata::Request> requests;
  odonata::Time until = -1;  // [ps]; -1: no sleep
  const odonata::Algorithm* algorithm = nullptr;
  odonata::Call call;
  std::optional<odonata::Rank> rank;  // of the collective, on its communicator
};

/// A rank program of any kind, as Python holds it.
struct Runnable {
  odonata::Program program;
};

/// The program that calls `function(rank)` for each rank and drives the generator it returns.
Runnable python_program(nb::object function);
