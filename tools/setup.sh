#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the project needs from Debian's packages. Does nothing, quickly, when all of it is there.
set -eu
packages="build-essential cmake ninja-build ccache git pkg-config libcli11-dev libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libxxhash-dev libboost-dev
libzstd-dev zlib1g-dev libeigen3-dev libpugixml-dev libsqlitecpp-dev libsqlite3-dev libgtest-dev libbenchmark-dev python3 python3-numpy clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev
shellcheck groff-base"
missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
# The client library that the test of `assay mcp` drives it with; the test says so if it is not there.
client="$(dirname "$0")/../build/mcp_client"
if [ ! -d "$client/node_modules" ] && command -v npm > /dev/null; then
  mkdir -p "$client"
  timeout 120 npm install --prefix "$client" --no-audit --no-fund --silent @modelcontextprotocol/sdk@1.20.0 > /dev/null 2>&1 ||
    echo "setup: npm cannot get the client library of the Model Context Protocol; its test is skipped" >&2
fi
[ -z "$missing" ] && exit 0
if ! command -v apt-get > /dev/null; then
  echo "setup: this machine has no apt-get. Install the equivalents of:$missing" >&2
  exit 6
fi
root=""
if [ "$(id -u)" -ne 0 ]; then
  root="sudo"
  command -v sudo > /dev/null || { echo "setup: run as root, or install sudo, to install:$missing" >&2; exit 6; }
fi
echo "setup: installing$missing"
$root apt-get update -qq
# shellcheck disable=SC2086  # a list of words
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
