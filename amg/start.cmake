# What a shared object needs to be a program as well, as libc.so.6 is: who loads it, and the C
# library's start. Sets ODONATA_LOADER and ODONATA_START to both files, or to nothing.

function(find_start)
  set(ODONATA_LOADER "" PARENT_SCOPE)
  set(ODONATA_START "" PARENT_SCOPE)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/start-check)
  file(WRITE ${program}.cpp "int main() { return 0; }\n")
  try_compile(compiled ${CMAKE_CURRENT_BINARY_DIR} ${program}.cpp COPY_FILE ${program})
  if(NOT compiled OR NOT CMAKE_READELF)
    return()
  endif()
  execute_process(COMMAND ${CMAKE_READELF} -l ${program} OUTPUT_VARIABLE said ERROR_QUIET)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=Scrt1.o
    OUTPUT_VARIABLE start OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(said MATCHES "interpreter: ([^]\n]+)\\]" AND EXISTS "${start}")
    set(ODONATA_LOADER "${CMAKE_MATCH_1}" PARENT_SCOPE)
    set(ODONATA_START "${start}" PARENT_SCOPE)
  endif()
endfunction()
