# cmake -DSOURCE=... -DCLANG_FORMAT=... -P: every C++ source is formatted as .clang-format says.
set(files "")
foreach(folder cli model reports tests validate)
  foreach(extension cpp hpp)
    file(GLOB_RECURSE found ${SOURCE}/${folder}/*.${extension})
    list(APPEND files ${found})
  endforeach()
endforeach()
execute_process(COMMAND ${CLANG_FORMAT} --style=file --dry-run --Werror ${files}
                RESULT_VARIABLE code ERROR_VARIABLE out)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${out}")
endif()
