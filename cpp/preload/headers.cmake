# Finds the headers of the MPI ABIs. What is found stays in the cache while it exists.

# The mpich wheel in the environment of the Python that builds us.
function(find_mpich_header)
  if(EXISTS "${ODONATA_MPICH_INCLUDE}/mpi_abi.h")
    return()
  endif()
  set(folder)
  find_package(Python 3.11 COMPONENTS Interpreter QUIET)
  if(Python_Interpreter_FOUND)
    execute_process(
      COMMAND ${Python_EXECUTABLE} -c "
import importlib.metadata, os
for file in importlib.metadata.files('mpich'):
    if file.name == 'mpi_abi.h':
        print(os.path.realpath(file.locate().parent), end='')"
      OUTPUT_VARIABLE folder ERROR_QUIET)
  endif()
  if(NOT EXISTS "${folder}/mpi.h")
    set(folder)
  endif()
  set_property(CACHE ODONATA_MPICH_INCLUDE PROPERTY VALUE "${folder}")
endfunction()

function(is_openmpi_header file result)
  set(${result} FALSE PARENT_SCOPE)
  if(EXISTS "${file}")
    file(STRINGS "${file}" found REGEX "define OPEN_MPI 1" LIMIT_COUNT 1)
    if(found)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Open MPI of the system: where its compiler says, or where distributions put it.
function(find_openmpi_header)
  if(EXISTS "${ODONATA_OPENMPI_INCLUDE}/mpi.h")
    return()
  endif()
  file(GLOB folders /usr/lib/*/openmpi/include /usr/lib*/openmpi/include /usr/include/openmpi*
       /usr/local/include /opt/openmpi*/include)
  if(DEFINED ENV{MPI_HOME})
    list(PREPEND folders "$ENV{MPI_HOME}/include")
  endif()
  foreach(name mpicc mpicc.openmpi)
    find_program(ODONATA_${name} ${name})
    mark_as_advanced(ODONATA_${name})
    if(ODONATA_${name})
      execute_process(COMMAND ${ODONATA_${name}} --showme:incdirs OUTPUT_VARIABLE said ERROR_QUIET
                      RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(NOT failed)
        separate_arguments(said)
        list(PREPEND folders ${said})
      endif()
    endif()
  endforeach()
  foreach(folder IN LISTS folders)
    is_openmpi_header("${folder}/mpi.h" good)
    if(good)
      set_property(CACHE ODONATA_OPENMPI_INCLUDE PROPERTY VALUE "${folder}")
      return()
    endif()
  endforeach()
  set_property(CACHE ODONATA_OPENMPI_INCLUDE PROPERTY VALUE "")
endfunction()
