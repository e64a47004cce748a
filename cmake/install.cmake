# Installs the libraries for find_package(warpline), the command line, and the data they read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(WARPLINE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/warpline)
install(TARGETS warpline warpline_reports EXPORT warplineTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS warpline_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT warplineTargets NAMESPACE warpline:: DESTINATION ${WARPLINE_CMAKE_DIR})

foreach(folder ${WARPLINE_MODEL_FOLDERS})
  install(DIRECTORY model/${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpline/${folder}
          FILES_MATCHING PATTERN "*.hpp")
endforeach()
foreach(folder reports validate)
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpline/${folder}
          FILES_MATCHING PATTERN "*.hpp" PATTERN "cuda" EXCLUDE PATTERN "schema" EXCLUDE)
endforeach()

set(WARPLINE_DATA_FOLDERS hw_specs pipelines)
foreach(folder ${WARPLINE_DATA_FOLDERS})
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/warpline
          FILES_MATCHING PATTERN "*.yaml")
  # The build tree has the same layout, so that its binary finds the data in the same way.
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/warpline)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_BINARY_DIR}/share/warpline/${folder} SYMBOLIC)
endforeach()
# Measured rows, which predictions are compared with.
install(DIRECTORY validate/measured DESTINATION ${CMAKE_INSTALL_DATADIR}/warpline/validate
        FILES_MATCHING PATTERN "*.csv" PATTERN "micro" EXCLUDE)
# The CUDA programs, which `warpline microbench` builds where there is a GPU.
install(DIRECTORY validate/cuda DESTINATION ${CMAKE_INSTALL_DATADIR}/warpline/validate
        FILES_MATCHING PATTERN "*.cu" PATTERN "*.cuh" PATTERN "*.hpp" PATTERN "*.cpp" PATTERN "CMakeLists.txt"
        PATTERN "check_sass.py")
# What times the kernels that Python has, for `warpline validate`.
install(DIRECTORY validate/installed DESTINATION ${CMAKE_INSTALL_DATADIR}/warpline/validate
        FILES_MATCHING PATTERN "*.py")
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/warpline/validate)
foreach(folder measured cuda installed)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/validate/${folder} ${PROJECT_BINARY_DIR}/share/warpline/validate/${folder}
       SYMBOLIC)
endforeach()
install(FILES reports/schema/comparison-1.json reports/schema/operation-prediction-1.json reports/schema/plan-1.json reports/schema/prediction-1.json DESTINATION ${CMAKE_INSTALL_DATADIR}/warpline/schema)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warpline)

configure_package_config_file(cmake/warplineConfig.cmake.in ${PROJECT_BINARY_DIR}/warplineConfig.cmake
                              INSTALL_DESTINATION ${WARPLINE_CMAKE_DIR}
                              PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warplineConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warplineConfig.cmake ${PROJECT_BINARY_DIR}/warplineConfigVersion.cmake
              cmake/Findmuparser.cmake
        DESTINATION ${WARPLINE_CMAKE_DIR})
