# Debian 12 packages; ./warpline installs those that are missing.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Boost 1.74 REQUIRED)          # Graph and Rational: headers only
find_package(yaml-cpp 0.7 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(muparser CONFIG QUIET)        # Debian ships no CMake file for muParser
if(NOT TARGET muparser::muparser)
  find_path(MUPARSER_INCLUDE_DIR muParser.h REQUIRED)
  find_library(MUPARSER_LIBRARY muparser REQUIRED)
  add_library(muparser::muparser UNKNOWN IMPORTED)
  set_target_properties(muparser::muparser PROPERTIES IMPORTED_LOCATION ${MUPARSER_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${MUPARSER_INCLUDE_DIR})
endif()
find_path(EXPECTED_INCLUDE_DIR tl/expected.hpp REQUIRED)
