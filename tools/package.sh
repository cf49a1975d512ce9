#!/bin/sh
# SPDX-License-Identifier: MIT
# Packs what was built: a .deb and a tar of the program with its pages, and their SHA-256 sums.
#   tools/package.sh [BUILD [OUT]]     build and dist by default
set -eu
build=${1:-build}
out=${2:-dist}
[ -e "$build/CPackConfig.cmake" ] || { echo "package: there is no build in '$build'; make build makes one" >&2; exit 6; }
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! cpack --config "$build/CPackConfig.cmake" -B "$work" > "$work/log" 2>&1; then
  cat "$work/log" >&2
  exit 1
fi
(cd "$work" && sha256sum -- *.deb *.tar.gz > SHA256SUMS)
for file in "$work"/*.deb "$work"/*.tar.gz "$work/SHA256SUMS"; do
  mv "$file" "$out/"
  echo "$out/$(basename "$file")"
done
