// The mpi.h of the ABI that this folder is compiled for, without its macros that hide functions.
#pragma once

#include ODONATA_MPI_HEADER

#include "undefine_functions.hpp"
