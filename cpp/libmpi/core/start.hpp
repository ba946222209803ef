// The entry point for those who host ranks as fibers.
#pragma once

#include "odonata/live/layout.hpp"

/// Makes every rank of `fibers` one of this process; before any of them calls MPI.
extern "C" __attribute__((visibility("default"))) void
odonata_attach_fibers(const odonata::live::Fibers* fibers);
