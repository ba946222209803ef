# Copies files of a folder; a copy that is the same already stays untouched. pip's isolated builds
# have their headers in another folder each time: what includes the copies is compiled again only
# where they differ.
function(keep_copy folder copy)
  foreach(name IN LISTS ARGN)
    cmake_path(GET name PARENT_PATH parent)
    file(MAKE_DIRECTORY ${copy}/${parent})
    file(COPY_FILE ${folder}/${name} ${copy}/${name} ONLY_IF_DIFFERENT)
  endforeach()
endfunction()
