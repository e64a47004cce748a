# Headers live beside their sources (model/engine/engine.hpp) and are included by one name everywhere,
# here and in an installation: "warpline/engine/engine.hpp". A folder of links gives the build that name.
set(WARPLINE_INCLUDE_TREE ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${WARPLINE_INCLUDE_TREE}/warpline)
set(WARPLINE_MODEL_FOLDERS diagnostics units hardware workload pipeline roofline recurrence engine device explore planner numerics)
foreach(folder ${WARPLINE_MODEL_FOLDERS})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/model/${folder} ${WARPLINE_INCLUDE_TREE}/warpline/${folder} SYMBOLIC)
endforeach()
foreach(folder reports validate)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${WARPLINE_INCLUDE_TREE}/warpline/${folder} SYMBOLIC)
endforeach()
