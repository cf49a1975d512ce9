# SPDX-License-Identifier: MIT
# What `make install` installs and `make package` packs, all of it here. Component `program`: the program, its man
# pages, completions, documents and kernels; this is what the packages hold.
include(GNUInstallDirs)

install(TARGETS assay RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(FILES ${ASSAY_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${ASSAY_PAGES_FOLDER}/completions/assay.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME assay COMPONENT program)
install(FILES ${ASSAY_PAGES_FOLDER}/completions/_assay DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        COMPONENT program)
install(FILES ${ASSAY_PAGES_FOLDER}/completions/assay.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT program
        FILES_MATCHING PATTERN "*.md")

# What `assay new --like` copies. Attention is a library of its own; the others below are mistakes on purpose.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/kernels/ DESTINATION ${CMAKE_INSTALL_DATADIR}/assay/kernels COMPONENT program
        PATTERN attention EXCLUDE PATTERN broken EXCLUDE PATTERN planted EXCLUDE PATTERN red_team EXCLUDE)

# --- packages: a .deb, and a tar whose one program needs nothing but glibc (from the preset `static`); tools/package.sh
set(CPACK_PACKAGE_NAME assay)
set(CPACK_PACKAGE_VERSION ${ASSAY_VERSION})
set(CPACK_PACKAGE_VENDOR Assay)
set(CPACK_PACKAGE_CONTACT "the Assay project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "takes a CUDA kernel from source to a verdict, with or without a GPU")
set(CPACK_PACKAGE_DESCRIPTION "Checks, sanitizes, measures and gates CUDA kernels.
 On a machine without a GPU it executes their PTX on a virtual one.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL program)
string(TOLOWER ${CMAKE_SYSTEM_NAME} assay_system)
set(CPACK_PACKAGE_FILE_NAME assay-${ASSAY_VERSION}-${assay_system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageKinds.cmake)
set(CPACK_ARCHIVE_PROGRAM_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME assay)
set(CPACK_DEBIAN_PROGRAM_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS git)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, nvidia-cuda-toolkit")
include(CPack)
