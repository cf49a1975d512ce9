#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of the page in a browser. Exit code 77: they cannot run here, and why.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
skip() { echo "skipped: $1"; exit 77; }
command -v node > /dev/null || skip "there is no node (make setup-web installs it)"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || skip "node is older than 18"
[ -d "$root/web/node_modules/esbuild" ] || skip "the packages of web/ are not installed (make setup-web)"
if [ -z "${ASSAY_CHROMIUM:-}" ]; then
  ASSAY_CHROMIUM=$(command -v chromium || command -v chromium-browser || true)
  export ASSAY_CHROMIUM
fi
[ -n "$ASSAY_CHROMIUM" ] || skip "there is no chromium (make setup-web installs it)"
exec node --test "$root"/tests/web/*.test.mjs
