# The rows of cpp/odonata/live/abis.inc: the list ABIS, and for each ABI of it ABI_<name>_TITLE,
# _LIBRARY, _VERSION (libmpi.so.12 is libmpi, 12), _FORTRAN, _FORTRAN_VERSION (empty without a
# library for Fortran), _HEADER and _INSTALLATION.

set(file ${PROJECT_SOURCE_DIR}/cpp/odonata/live/abis.inc)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
set(ABIS)
file(STRINGS ${file} rows REGEX "^ODONATA_ABI\\(")
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^ODONATA_ABI\\(([a-z]+), \"(.*)\", \"(.*)\", \"(.*)\", \"(.*)\", \"(.*)\"\\)$")
    message(FATAL_ERROR "${file}: not a row of an ABI: ${row}")
  endif()
  set(name ${CMAKE_MATCH_1})
  list(APPEND ABIS ${name})
  set(ABI_${name}_TITLE "${CMAKE_MATCH_2}")
  set(library ${CMAKE_MATCH_3})
  set(fortran ${CMAKE_MATCH_4})
  set(ABI_${name}_HEADER ${CMAKE_MATCH_5})
  set(ABI_${name}_INSTALLATION "${CMAKE_MATCH_6}")
  string(REGEX REPLACE "^lib(.*)\\.so\\..*" "\\1" ABI_${name}_LIBRARY "${library}")
  string(REGEX REPLACE ".*\\." "" ABI_${name}_VERSION "${library}")
  string(REGEX REPLACE "^lib(.*)\\.so\\..*" "\\1" ABI_${name}_FORTRAN "${fortran}")
  string(REGEX REPLACE ".*\\." "" ABI_${name}_FORTRAN_VERSION "${fortran}")
endforeach()
