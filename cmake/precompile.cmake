# Compiles headers that most sources of a target include once, not once a source: a third of the time of a build from
# scratch. Off where people work, so that every source shows there that it includes what it uses.
option(WARPLINE_PRECOMPILE "Precompile the headers that most sources include" OFF)
set(WARPLINE_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory>
    <optional> <set> <sstream> <string> <string_view> <utility> <vector> <boost/rational.hpp> <fmt/format.h>
    <tl/expected.hpp>)

# warpline_precompile(TARGET HEADER...): the common headers and these.
function(warpline_precompile target)
  if(WARPLINE_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${WARPLINE_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# Ccache takes part only when told that macros and times of precompiled headers do not matter; none uses __TIME__.
if(WARPLINE_PRECOMPILE AND CCACHE AND "${CMAKE_CXX_COMPILER_LAUNCHER}" STREQUAL "${CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()
