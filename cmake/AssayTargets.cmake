# SPDX-License-Identifier: MIT
# One static library per folder of src/, one test program per folder of tests/.

# "vgpu/machine" -> assay_vgpu_machine
function(assay_targets_of VARIABLE)
  list(TRANSFORM ARGN REPLACE "/" "_")
  list(TRANSFORM ARGN PREPEND assay_)
  set(${VARIABLE} ${ARGN} PARENT_SCOPE)
endfunction()

# What nearly every source includes is compiled once, for libraries with and without HOT.
set(ASSAY_COMMON_HEADERS <algorithm> <chrono> <cmath> <filesystem> <fmt/format.h> <functional> <map> <memory> <optional>
    <ranges> <set> <span> <string> <string_view> <variant> <vector>)
function(assay_common_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/common_headers.cpp CONTENT "")
  foreach(kind plain hot)
    add_library(assay_headers_${kind} STATIC ${PROJECT_BINARY_DIR}/generated/common_headers.cpp)
    target_link_libraries(assay_headers_${kind} PRIVATE Threads::Threads assay_options)
    target_precompile_headers(assay_headers_${kind} PRIVATE ${ASSAY_COMMON_HEADERS})
  endforeach()
  target_compile_options(assay_headers_hot PRIVATE $<$<CONFIG:Release>:-O3>)
endfunction()

# Most of the time of compiling goes into headers and what is instantiated of them: sources that share them are compiled
# as one, in groups of SIZE. Names in anonymous namespaces must differ within such a group; the compiler says so where
# they do not.
function(assay_unity TARGET SIZE)
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ${ASSAY_UNITY} UNITY_BUILD_BATCH_SIZE ${SIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # it takes the sources of a group for headers
    target_compile_options(${TARGET} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# assay_library(NAME [HOT] [FLAT] [APART] [HOT_SOURCES file...] [DEPENDS folder...] [USES folder...] [LINK target...] [EXCLUDE regex]
#               [PRECOMPILE header...])
# The library of src/NAME; NAME may be nested: "vgpu/machine" is assay_vgpu_machine. Its headers are reachable as
# "NAME/..." only by targets that depend on it: every library has an include root of its own that holds nothing else, so
# a forbidden include does not compile. What it USES, only its own sources may include; what DEPENDS on it may not.
# FLAT: folders below NAME are libraries of their own. APART: its sources hold equal names, or are long; each is compiled
# by itself.
function(assay_library NAME)
  cmake_parse_arguments(ARG "HOT;FLAT;APART" "EXCLUDE" "DEPENDS;USES;LINK;PRECOMPILE;HOT_SOURCES" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/${NAME})
  set(glob GLOB_RECURSE)
  if(ARG_FLAT)
    set(glob GLOB)
  endif()
  file(${glob} sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(${glob} headers CONFIGURE_DEPENDS ${folder}/*.hpp)
  if(ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX ${ARG_EXCLUDE})
  endif()
  assay_targets_of(target ${NAME})
  string(REPLACE "/" "_" root ${NAME})
  set(root ${PROJECT_BINARY_DIR}/include/${root})
  file(REMOVE_RECURSE ${root})
  get_filename_component(parent ${root}/${NAME} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  if(ARG_FLAT)
    file(MAKE_DIRECTORY ${root}/${NAME})
    foreach(header IN LISTS headers)
      get_filename_component(file ${header} NAME)
      file(CREATE_LINK ${header} ${root}/${NAME}/${file} SYMBOLIC)
    endforeach()
  else()
    file(CREATE_LINK ${folder} ${root}/${NAME} SYMBOLIC)
  endif()

  set(kind STATIC)
  set(scope PUBLIC)
  if(NOT sources)
    set(kind INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(${target} ${kind} ${sources})
  target_include_directories(${target} ${scope} ${root})
  assay_targets_of(depends ${ARG_DEPENDS})
  target_link_libraries(${target} ${scope} ${depends} ${ARG_LINK} assay_options)
  if(sources AND ARG_HOT AND NOT ARG_APART)
    assay_unity(${target} 8)
  elseif(sources AND NOT ARG_APART)
    assay_unity(${target} 16)
  endif()
  if(ARG_USES)
    assay_targets_of(uses ${ARG_USES})
    target_link_libraries(${target} PRIVATE ${uses})
  endif()
  if(ARG_HOT)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3>)
  endif()
  list(TRANSFORM ARG_HOT_SOURCES PREPEND ${folder}/)
  set_source_files_properties(${ARG_HOT_SOURCES} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>
                              SKIP_PRECOMPILE_HEADERS ON)
  if(ARG_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ASSAY_COMMON_HEADERS} ${ARG_PRECOMPILE})
  elseif(sources AND ARG_HOT)
    target_precompile_headers(${target} REUSE_FROM assay_headers_hot)
  elseif(sources)
    target_precompile_headers(${target} REUSE_FROM assay_headers_plain)
  endif()
  # Every header compiles alone: the target all_verify_interface_header_sets, which make lint builds.
  if(headers)
    list(TRANSFORM headers REPLACE "^${folder}/" "${root}/${NAME}/")
    target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${root} FILES ${headers})
    set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
endfunction()

# What the test programs share: helpers, and the headers that nearly all of them include, precompiled. They are compiled
# with -O0, a third less work for the compiler: most of them wait for programs that they start.
function(assay_test_support)
  add_library(assay_test_support STATIC ${ARGN})
  target_include_directories(assay_test_support PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(assay_test_support PUBLIC assay_base GTest::gtest)
  target_compile_options(assay_test_support PRIVATE $<$<CONFIG:Release>:-O0>)
  target_precompile_headers(assay_test_support PRIVATE ${ASSAY_COMMON_HEADERS} <gtest/gtest.h> <nlohmann/json.hpp>)
endfunction()

# assay_test(NAME [HOT] [ALONE] [DEPENDS folder...] [LINK target...]): tests/NAME/**/*_test.cpp as one program, registered
# with ctest. HOT: it computes much itself and is optimised. ALONE: its flags are not those of the others.
function(assay_test NAME)
  cmake_parse_arguments(ARG "HOT;ALONE" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${NAME}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${NAME} ${sources})
  assay_unity(test_${NAME} 16)
  assay_targets_of(depends ${ARG_DEPENDS})
  target_link_libraries(test_${NAME} PRIVATE assay_${NAME} ${depends} ${ARG_LINK} GTest::gtest_main)
  if(ARG_HOT)
    target_precompile_headers(test_${NAME} PRIVATE ${ASSAY_COMMON_HEADERS} <gtest/gtest.h>)
  else()
    target_compile_options(test_${NAME} PRIVATE $<$<CONFIG:Release>:-O0>)
  endif()
  if(NOT ARG_HOT AND NOT ARG_ALONE)
    target_precompile_headers(test_${NAME} REUSE_FROM assay_test_support)
  endif()
  target_compile_definitions(test_${NAME} PRIVATE ASSAY_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                                  ASSAY_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${NAME} COMMAND test_${NAME} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${NAME} PROPERTIES TIMEOUT 600)
endfunction()
