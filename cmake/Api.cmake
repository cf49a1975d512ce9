# SPDX-License-Identifier: MIT
# The public C++ API as one archive: libassay.a holds the objects of every library of src/ below the command line, so
# that who uses it links one target, assay::assay, and sees the headers of include/assay alone.
get_property(assay_targets DIRECTORY ${PROJECT_SOURCE_DIR}/src PROPERTY BUILDSYSTEM_TARGETS)
set(assay_objects "")
foreach(library ${assay_targets})
  get_target_property(kind ${library} TYPE)
  if(kind STREQUAL STATIC_LIBRARY AND NOT library STREQUAL assay_cli)
    list(APPEND assay_objects $<TARGET_OBJECTS:${library}>)
  endif()
endforeach()
add_library(assay_api STATIC ${assay_objects})
set_target_properties(assay_api PROPERTIES OUTPUT_NAME assay EXPORT_NAME assay LINKER_LANGUAGE CXX)
target_compile_features(assay_api INTERFACE cxx_std_20)
target_include_directories(assay_api INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
                                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/assay/internal>)
# Kernels run in processes of the program that is installed beside the library.
target_compile_definitions(assay_api INTERFACE
                           $<INSTALL_INTERFACE:ASSAY_PROGRAM="$<INSTALL_PREFIX>/${CMAKE_INSTALL_BINDIR}/assay">)
target_link_libraries(assay_api INTERFACE pugixml::static SQLiteCpp sqlite3 ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS})

# Component `api`; the packages hold the program alone.
include(CMakePackageConfigHelpers)
set(assay_package ${CMAKE_INSTALL_LIBDIR}/cmake/assay)
install(TARGETS assay_api EXPORT assayTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT api)
install(EXPORT assayTargets NAMESPACE assay:: DESTINATION ${assay_package} COMPONENT api)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT api
        FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/src/base/exit_code.hpp ${PROJECT_SOURCE_DIR}/src/base/error.hpp
              ${PROJECT_SOURCE_DIR}/src/base/result.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/assay/internal/base COMPONENT api)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/assayConfig.cmake.in ${PROJECT_BINARY_DIR}/assayConfig.cmake
                              INSTALL_DESTINATION ${assay_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/assayConfigVersion.cmake VERSION ${ASSAY_VERSION}
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/assayConfig.cmake ${PROJECT_BINARY_DIR}/assayConfigVersion.cmake
        DESTINATION ${assay_package} COMPONENT api)
