# libyaml with the target libyaml::libyaml; Debian ships no CMake file for it. Used by the build and by
# installed copies of Warpline.
find_path(LIBYAML_INCLUDE_DIR yaml.h)
find_library(LIBYAML_LIBRARY yaml)
mark_as_advanced(LIBYAML_INCLUDE_DIR LIBYAML_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libyaml REQUIRED_VARS LIBYAML_LIBRARY LIBYAML_INCLUDE_DIR)
if(libyaml_FOUND AND NOT TARGET libyaml::libyaml)
  add_library(libyaml::libyaml UNKNOWN IMPORTED)
  set_target_properties(libyaml::libyaml PROPERTIES IMPORTED_LOCATION ${LIBYAML_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${LIBYAML_INCLUDE_DIR})
endif()
