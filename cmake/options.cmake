# Compiler and linker options that hold for every target of this project and for none of its users.
add_library(warpline_options INTERFACE)
target_compile_options(warpline_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual)
# GCC 12 sees overlapping copies in "literal" + std::string that are not there (its bug 105651).
target_compile_options(warpline_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(WARPLINE_WERROR)
  target_compile_options(warpline_options INTERFACE -Werror)
endif()
if(WARPLINE_SANITIZE)
  target_compile_options(warpline_options INTERFACE -fsanitize=${WARPLINE_SANITIZE}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(warpline_options INTERFACE -fsanitize=${WARPLINE_SANITIZE})
  # GCC says itself (-fsanitize=address in its manual) that instrumented code draws false reports of
  # uninitialized use; the release build keeps the warning.
  target_compile_options(warpline_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
