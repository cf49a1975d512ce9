# SPDX-License-Identifier: MIT
# Read by cpack once for each kind of package: a tar unpacks into one folder, a .deb into the root of the system.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
endif()
