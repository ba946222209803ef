// A running program: its memory, the host of its ranks, and their calls.
#pragma once

#include <functional>
#include <utility>

#include "odonata/live/fibers.hpp"
#include "odonata/live/live_source.hpp"
#include "odonata/live/processes.hpp"

namespace odonata::live {

/// `Ranks` is Processes or FiberHost. `interrupt` is called now and then while ranks are waited
/// for; it may throw.
template <class Ranks, class Options>
struct Run {
  Run(const MemoryOptions& sizes, Options options, std::function<void()> interrupted)
      : interrupt(std::move(interrupted)),
        memory(sizes),
        ranks(memory, std::move(options)),
        source(memory, ranks, interrupt) {}

  std::function<void()> interrupt;
  Memory memory;
  Ranks ranks;
  LiveSource source;
};

using ProcessRun = Run<Processes, ProcessOptions>;
using FiberRun = Run<FiberHost, FiberOptions>;

}  // namespace odonata::live
