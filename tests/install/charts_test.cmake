# cmake -DSOURCE=... -DWORK=... -P: without npm, or with one that cannot fetch, the build goes on with an empty chart
# library.
cmake_policy(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
find_program(FALSE_PROGRAM false REQUIRED)
foreach(npm "" ${FALSE_PROGRAM})
  execute_process(COMMAND ${CMAKE_COMMAND} "-DNPM=${npm}" -DPACKAGE=echarts@6.1.0 -DFILE=dist/echarts.min.js -DSHA256=0
                          -DWORK=${WORK}/npm -DOUTPUT=${WORK}/charts.js -P ${SOURCE}/cmake/chart_library.cmake
                  RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  file(SIZE ${WORK}/charts.js size)
  if(NOT code EQUAL 0 OR NOT size EQUAL 0 OR NOT said MATCHES "tables and no charts")
    message(FATAL_ERROR "npm '${npm}': ended with ${code}, ${size} bytes, and said\n${said}")
  endif()
  file(REMOVE ${WORK}/charts.js)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E touch ${WORK}/charts.js COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -DPAGE=${SOURCE}/reports/page -DCHARTS=${WORK}/charts.js
                        -DOUTPUT=${WORK}/assets.cpp -P ${SOURCE}/cmake/report_assets.cmake COMMAND_ERROR_IS_FATAL ANY)
file(READ ${WORK}/assets.cpp assets)
if(NOT assets MATCHES ",[ \n]+\"\"};")
  message(FATAL_ERROR "an empty chart library is not an empty text")
endif()
file(REMOVE_RECURSE ${WORK})
