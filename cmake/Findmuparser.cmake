# muParser with the target muparser::muparser, as its own CMake file defines where one is installed
# (Debian ships none). Used by the build and by installed copies of Warpline.
find_package(muparser CONFIG QUIET)
if(TARGET muparser::muparser)
  set(muparser_FOUND TRUE)
  return()
endif()
find_path(MUPARSER_INCLUDE_DIR muParser.h)
find_library(MUPARSER_LIBRARY muparser)
mark_as_advanced(MUPARSER_INCLUDE_DIR MUPARSER_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(muparser REQUIRED_VARS MUPARSER_LIBRARY MUPARSER_INCLUDE_DIR)
if(muparser_FOUND)
  add_library(muparser::muparser UNKNOWN IMPORTED)
  set_target_properties(muparser::muparser PROPERTIES IMPORTED_LOCATION ${MUPARSER_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${MUPARSER_INCLUDE_DIR})
endif()
