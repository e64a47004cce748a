# cmake -DSOURCE=... -DBUILD=... -DGENERATOR=... -P: builds the microbenchmarks of Blackwell alone for sm_100a and sm_103a.
cmake_policy(VERSION 3.25)

if(DEFINED ENV{CUDACXX} AND NOT "$ENV{CUDACXX}" STREQUAL "")
  set(compiler $ENV{CUDACXX})
else()
  find_program(compiler nvcc PATHS /usr/local/cuda/bin)
endif()
if(NOT compiler)
  message("skipped: there is no nvcc here, so the Blackwell microbenchmarks are not compiled")
  return()
endif()

function(run name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${name} ended with ${code}:\n${out}")
  endif()
endfunction()

# The target holds programs of Blackwell alone, so the default list of architectures builds nothing else.
run("configuring" ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -DCMAKE_CUDA_COMPILER=${compiler})
run("building" ${CMAKE_COMMAND} --build ${BUILD} --target blackwell_programs)
foreach(needed tcgen05_mma tcgen05_moves tcgen05_contention tcgen05_ld_red packed_rates)
  if(NOT EXISTS ${BUILD}/micro/${needed})
    message(FATAL_ERROR "${needed} was not built")
  endif()
endforeach()
message("compiled for sm_100a and sm_103a")
