# SPDX-License-Identifier: MIT
# The file VERSION is the only place that says the version. CMake, the program, its packages and the Python package
# (python/VERSION is a link to it) read it.
set(assay_version_file ${CMAKE_CURRENT_LIST_DIR}/../VERSION)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${assay_version_file})
file(STRINGS ${assay_version_file} ASSAY_VERSION LIMIT_COUNT 1)
if(NOT ASSAY_VERSION MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+$")
  message(FATAL_ERROR "VERSION: '${ASSAY_VERSION}' is not of the form 1.2.3")
endif()

# assay_generate_version(FILE): writes the source that defines assay::kVersion (src/base/version.hpp).
function(assay_generate_version FILE)
  file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT [=[
// Generated from VERSION by cmake/Version.cmake.
#include "base/version.hpp"

namespace assay {

const char* const kVersion = "@ASSAY_VERSION@";

}  // namespace assay
]=])
endfunction()
