#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what the tests of the report's page need: Node and Chromium from Debian, the packages of web/package-lock.json
# from npm. They are not needed to build: web/dist is in the repository. What cannot be had is said, and is no error.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
missing=""
command -v node > /dev/null || missing="$missing nodejs"
command -v npm > /dev/null || missing="$missing npm"
command -v chromium > /dev/null || missing="$missing chromium fonts-dejavu-core"
if [ -n "$missing" ]; then
  run=""
  [ "$(id -u)" -eq 0 ] || run="sudo"
  if command -v apt-get > /dev/null && { [ -z "$run" ] || command -v sudo > /dev/null; }; then
    echo "setup-web: installing$missing"
    # shellcheck disable=SC2086  # lists of words
    { $run apt-get update -qq && $run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } \
      || echo "setup-web: could not install$missing; the tests of the page are skipped"
  else
    echo "setup-web: not here:$missing; the tests of the page are skipped"
  fi
fi
command -v npm > /dev/null || exit 0
stamp="$root/web/node_modules/.installed"
if [ ! -e "$stamp" ] || ! cmp -s "$root/web/package-lock.json" "$stamp"; then
  if npm ci --prefix "$root/web" --no-audit --no-fund --ignore-scripts --loglevel=error; then
    cp "$root/web/package-lock.json" "$stamp"
  else
    echo "setup-web: npm could not install the packages of web/; the tests of the page are skipped"
  fi
fi
exit 0
