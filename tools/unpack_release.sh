#!/bin/sh
# SPDX-License-Identifier: MIT
# Unpacks a release tar (make package) into a folder, and starts the program once.
#   tools/unpack_release.sh TAR FOLDER      FOLDER gets bin/assay and share/
set -eu
[ $# -eq 2 ] || { echo "usage: unpack_release.sh TAR FOLDER" >&2; exit 2; }
mkdir -p "$2"
tar -xzf "$1" -C "$2" --strip-components 1
"$2/bin/assay" --version
