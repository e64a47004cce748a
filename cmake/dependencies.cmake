# Debian 12 packages; ./warpline installs those that are missing.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Boost 1.74 REQUIRED)          # Graph and Rational: headers only
find_package(yaml-cpp 0.7 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(TBB 2021 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
find_package(muparser REQUIRED)
find_path(EXPECTED_INCLUDE_DIR tl/expected.hpp REQUIRED)
