# cmake -DSOURCE=... -DVERSION=... -DOUTPUT=... -P: writes version_text() with the commit, if SOURCE is a
# checkout of its own (not a folder in somebody else's).
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-cdup --short=10 HEAD
                OUTPUT_VARIABLE lines ERROR_QUIET RESULT_VARIABLE failed)
set(text "${VERSION}")
if(NOT failed AND lines MATCHES "^\n([0-9a-f]+)\n$")
  set(text "${VERSION} (${CMAKE_MATCH_1})")
endif()
file(WRITE ${OUTPUT} "#include \"cli/version.hpp\"\n
namespace warpline::cli {
std::string version_text() { return \"${text}\"; }
}  // namespace warpline::cli
")
