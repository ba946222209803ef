// The entry point for a host of ranks as fibers.
#pragma once

#include "odonata/live/layout.hpp"

/// Makes the ranks of `fibers` ranks of this process. Called before any of them calls MPI.
extern "C" __attribute__((visibility("default"))) void
odonata_attach_fibers(const odonata::live::Fibers* fibers);
