#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/commit_messages.sh BASE [HEAD]: every commit between them has a subject of at most 72 characters and a body that
# says why (CONTRIBUTING.md). Merges are not looked at. Exits with 1 and names those that do not.
set -eu
export LC_ALL=C.UTF-8  # characters, not bytes
base=$1
head=${2:-HEAD}
bad=0
for commit in $(git rev-list --reverse --no-merges "$base..$head"); do
  subject=$(git log -1 --format=%s "$commit")
  short=$(git log -1 --format=%h "$commit")
  if [ "$(printf %s "$subject" | wc -m)" -gt 72 ]; then
    echo "commit_messages: $short: a subject of more than 72 characters: $subject" >&2
    bad=1
  fi
  if [ -z "$(git log -1 --format=%b "$commit" | tr -d '[:space:]')" ]; then
    echo "commit_messages: $short: no body that says why: $subject" >&2
    bad=1
  fi
done
exit $bad
