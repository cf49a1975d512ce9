#!/bin/sh
# SPDX-License-Identifier: MIT
# Adds those of the files that exist to the page of a GitHub run; prints them elsewhere.
#   .github/summarise.sh FILE...
set -eu
for file in "$@"; do
  if [ -e "$file" ]; then cat "$file" >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"; fi
done
