# SPDX-License-Identifier: MIT
# Compiles docs/cli/*.md into the program: generated/help_texts.cpp, made again whenever a page changes.
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/cli/*.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${pages})
set(entries "")
foreach(page ${pages})
  get_filename_component(topic ${page} NAME_WE)
  file(READ ${page} text)
  string(APPEND entries "    {\"${topic}\", R\"page(${text})page\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/help_texts.cpp @ONLY CONTENT [=[
// Generated from docs/cli by cmake/HelpTexts.cmake.
#include "cli/help.hpp"

#include <array>
#include <utility>

namespace assay::cli {

std::string_view help_text(std::string_view topic) {
  static constexpr std::pair<std::string_view, std::string_view> kPages[] = {
@entries@  };
  for (const auto& [name, text] : kPages) {
    if (name == topic) return text;
  }
  return {};
}

}  // namespace assay::cli
]=])
