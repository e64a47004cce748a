# cmake -DBUILD=... -DCONSUMER=... -DWORK=... -DGENERATOR=... -P: installs the build into a folder of its own, moves the
# installation, then uses it as a package and as a program.
cmake_policy(VERSION 3.25)

function(run name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${name} ended with ${code}:\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

function(expect pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "no \"${pattern}\" in:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
# An installation may be moved: nothing in it may know where it was.
file(RENAME ${WORK}/first ${WORK}/moved)

run("configuring a consumer" ${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/consumer -G ${GENERATOR}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH=${WORK}/moved)
run("building a consumer" ${CMAKE_COMMAND} --build ${WORK}/consumer)
run("the consumer" ${WORK}/consumer/consumer)
expect("TFLOP/s counted")

set(program ${WORK}/moved/bin/warpline)
run("--version" ${program} --version)
expect("^warpline [0-9]+\\.[0-9]+\\.[0-9]+")
run("specs" ${program} specs)
expect("b200")
run("kernels" ${program} kernels)
expect("fa4_fwd")
run("predict" ${CMAKE_COMMAND} -E chdir / ${program} predict fa4_fwd --quiet)
expect("TFLOP/s counted")

file(MAKE_DIRECTORY ${WORK}/empty)
execute_process(COMMAND ${program} --data-dir ${WORK}/empty specs
                RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE message)
if(NOT code EQUAL 2 OR NOT out STREQUAL "" OR NOT message MATCHES "there are no GPU specifications")
  message(FATAL_ERROR "--data-dir did not replace the data: ${code}\n${out}\n${message}")
endif()
file(REMOVE_RECURSE ${WORK})
