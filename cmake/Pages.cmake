# SPDX-License-Identifier: MIT
# Man pages and shell completions, made from the help pages (docs/cli) by tools/pages.py: the target `pages`.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
file(GLOB assay_help_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/cli/*.md)
set(ASSAY_PAGES_FOLDER ${PROJECT_BINARY_DIR}/pages)
set(ASSAY_MAN_PAGES "")
foreach(page ${assay_help_pages})
  get_filename_component(topic ${page} NAME_WE)
  string(REPLACE "assay-assay" "assay" name "assay-${topic}")
  list(APPEND ASSAY_MAN_PAGES ${ASSAY_PAGES_FOLDER}/man/${name}.1)
endforeach()
set(ASSAY_COMPLETIONS ${ASSAY_PAGES_FOLDER}/completions/assay.bash ${ASSAY_PAGES_FOLDER}/completions/_assay
                      ${ASSAY_PAGES_FOLDER}/completions/assay.fish)
add_custom_command(
  OUTPUT ${ASSAY_MAN_PAGES} ${ASSAY_COMPLETIONS}
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/pages.py ${PROJECT_SOURCE_DIR}/docs/cli
          ${ASSAY_PAGES_FOLDER} ${ASSAY_VERSION}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/pages.py ${PROJECT_SOURCE_DIR}/VERSION ${assay_help_pages}
  COMMENT "Man pages and shell completions" VERBATIM)
add_custom_target(pages ALL DEPENDS ${ASSAY_MAN_PAGES} ${ASSAY_COMPLETIONS})
