# SPDX-License-Identifier: MIT
# One static library per folder of src/, one test program per folder of tests/.

# assay_library(NAME [DEPENDS folder...] [LINK target...] [EXCLUDE regex])
# The library of src/NAME. Its headers are reachable as "NAME/..." only by targets that depend on it:
# every library has an include root of its own that holds one link, so a forbidden include does not compile.
function(assay_library NAME)
  cmake_parse_arguments(ARG "" "EXCLUDE" "DEPENDS;LINK" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/${NAME})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${folder}/*.hpp)
  if(ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX ${ARG_EXCLUDE})
  endif()
  set(root ${PROJECT_BINARY_DIR}/include/${NAME})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${folder} ${root}/${NAME} SYMBOLIC)

  set(kind STATIC)
  set(scope PUBLIC)
  if(NOT sources)
    set(kind INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(assay_${NAME} ${kind} ${sources})
  target_include_directories(assay_${NAME} ${scope} ${root})
  list(TRANSFORM ARG_DEPENDS PREPEND assay_)
  target_link_libraries(assay_${NAME} ${scope} ${ARG_DEPENDS} ${ARG_LINK} assay_options)
  # Every header compiles alone: the generated check is part of the default build.
  if(headers)
    list(TRANSFORM headers REPLACE "^${folder}/" "${root}/${NAME}/")
    target_sources(assay_${NAME} ${scope} FILE_SET HEADERS BASE_DIRS ${root} FILES ${headers})
    set_target_properties(assay_${NAME} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
endfunction()

# assay_test(NAME [DEPENDS folder...]): tests/NAME/**/*_test.cpp as one program, registered with ctest.
function(assay_test NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${NAME}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${NAME} ${sources})
  list(TRANSFORM ARG_DEPENDS PREPEND assay_)
  target_link_libraries(test_${NAME} PRIVATE assay_${NAME} ${ARG_DEPENDS} ${ARG_LINK} GTest::gtest_main)
  target_compile_definitions(test_${NAME} PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                  ASSAY_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${NAME} COMMAND test_${NAME} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${NAME} PROPERTIES TIMEOUT 600)
endfunction()
