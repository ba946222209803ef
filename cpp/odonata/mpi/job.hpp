// Ranks that run one program, and statistics of their messages.
#pragma once

#include <functional>
#include <vector>

#include "odonata/mpi/message.hpp"
#include "odonata/mpi/statistics.hpp"
#include "odonata/mpi/task.hpp"

namespace odonata {

class Rank;

/// A rank program: called once a rank.
using Program = std::function<Task(Rank)>;

struct JobSpec {
  std::vector<std::int32_t> nodes;  // [ranks] node of each rank
  Program program;
  bool background = false;       // ends when no other job is left
  bool record_messages = false;  // keep a MessageRecord each
  Memory* memory = nullptr;
};

struct Job {
  JobSpec spec;
  std::int32_t first_rank = 0;  // in the world
  JobStatistics statistics;
};

}  // namespace odonata
