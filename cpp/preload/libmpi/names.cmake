# Other names of what the libraries define: assignments for the linker, because an alias within C++
# cannot be of a function elsewhere, nor in capitals.

# Functions that an MPI has as MPIX_.
set(accelerators GPU_query_support Query_cuda_support Query_hip_support Query_ze_support)
set(extensions_of_mpich ${accelerators})
set(extensions_of_openmpi)
foreach(name Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Barrier Bcast Exscan Gather
        Gatherv Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall Neighbor_alltoallv
        Neighbor_alltoallw Reduce Reduce_scatter Reduce_scatter_block Scan Scatter Scatterv)
  list(APPEND extensions_of_openmpi ${name}_init)
endforeach()

# Functions that no release of an MPI has (a regular expression): programs that find such a name take
# it, by a weak symbol, so it may not stand for a function that only says that it is absent.
set(not_in_mpich "^$")
set(not_in_standard "^Status_(c2f08|f082c|f082f|f2f08)$")
string(CONCAT not_in_openmpi
  "^(Abi_.*|.*_c|.*_fromint|.*_toint|.*_buffer|.*_buffer_c|Buffer_i?flush"
  "|Get_hw_resource_info|Remove_error_.*|Request_get_status_.*|Status_[gs]et_(source|tag|error)"
  "|T_category_get_(num_)?events|T_event_.*|T_source_.*|Type_get_value_index)$")

# Writes the list that absent.cpp includes; the further arguments are the names of MPI's functions.
function(write_absent_functions file abi)
  set(list ${ARGN})
  list(FILTER list EXCLUDE REGEX "${not_in_${abi}}")
  list(TRANSFORM list REPLACE "(.+)" "ODONATA_FUNCTION(\\1)\n")
  string(CONCAT text ${list})
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}")
endfunction()

# MPIX_x for PMPI_x.
function(write_names file abi)
  set(script)
  foreach(name IN LISTS extensions_of_${abi})
    string(APPEND script "MPIX_${name} = PMPI_${name};\nPMPIX_${name} = PMPI_${name};\n")
  endforeach()
  if(abi STREQUAL "openmpi")
    string(APPEND script "MPIX_Query_cuda_support = PMPI_Query_cuda_support;\n")
  elseif(abi STREQUAL "mpich")
    foreach(what class code string)  # of MPICH 4.0
      string(APPEND script "PMPIX_Delete_error_${what} = PMPI_Remove_error_${what};\n")
      string(APPEND script "MPIX_Delete_error_${what} = PMPI_Remove_error_${what};\n")
    endforeach()
  endif()
  file(CONFIGURE OUTPUT ${file} CONTENT "${script}")
endfunction()

# Of functions that there are in Fortran only, or that are constants in C.
set(fortran_only Alloc_mem_cptr F_sync_reg)
foreach(kind "" COMM_ TYPE_ WIN_)
  list(APPEND fortran_only ${kind}NULL_COPY_FN ${kind}DUP_FN ${kind}NULL_DELETE_FN)
endforeach()

# Appends to `script` what other compilers of Fortran than ours make of a name, for pmpi_x_. Open
# MPI has names for its modules, too.
function(append_fortran_names abi prefix name)
  string(TOLOWER "${name}" x)
  string(TOLOWER "${prefix}${name}" lower)
  string(TOUPPER "${prefix}${name}" upper)
  set(forms ${lower} ${lower}__ ${upper})
  if(prefix MATCHES "MPIX_")
    list(APPEND forms ${lower}_)
  endif()
  if(abi STREQUAL "openmpi")
    list(APPEND forms ${prefix}${name}_f ${prefix}${name}_f08)
  endif()
  foreach(form IN LISTS forms)
    string(APPEND script "${form} = pmpi_${x}_;\n")
  endforeach()
  set(script "${script}" PARENT_SCOPE)
endfunction()

# The further arguments are the names of MPI's functions.
function(write_fortran_names file abi)
  set(script)
  foreach(name IN LISTS ARGN fortran_only)  # what Open MPI's modules for Fortran 2008 call
    string(TOLOWER "${name}" x)
    if(abi STREQUAL "openmpi")
      string(APPEND script "ompi_${x}_f = pmpi_${x}_;\n")
    endif()
  endforeach()
  list(FILTER ARGN EXCLUDE REGEX "^T_|_c$|c2f|f2c|f08|fromint$|toint$")  # of C only
  foreach(name IN LISTS ARGN fortran_only)
    append_fortran_names(${abi} MPI_ ${name})
    append_fortran_names(${abi} PMPI_ ${name})
  endforeach()
  foreach(name IN LISTS extensions_of_${abi})
    append_fortran_names(${abi} MPIX_ ${name})
    append_fortran_names(${abi} PMPIX_ ${name})
    string(TOLOWER "${name}" x)
    string(APPEND script "ompix_${x}_f = pmpi_${x}_;\n")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "${script}")
endfunction()
