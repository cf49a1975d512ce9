#!/bin/sh
# SPDX-License-Identifier: MIT
# Gates the kernels of the repository in the current folder on exact counters, without a GPU. action.yml calls it with
#   ASSAY_RELEASE   the release tar: a file, or an address; without it, that of VERSION under the address ASSAY_RELEASES
#   ASSAY_BASE      the commit to compare with
#   ASSAY_KERNELS   kernel folders, separated by blanks; by default the folder of every kernel.toml that git knows
#   ASSAY_DEVICE    vgpu:l4 by default
#   ASSAY_OPTIONS   further options of assay gate, separated by blanks
#   ASSAY_OUT       where reports go; assay-gate by default
# The exit status is that of .github/gate.sh. The summary is added to $GITHUB_STEP_SUMMARY, where that is set.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
out=${ASSAY_OUT:-assay-gate}
rm -f "$out/summary.md"  # of an earlier run, however this one ends
fail() { echo "ci_gate: $1" >&2; exit "$2"; }
release=${ASSAY_RELEASE:-}
if [ -z "$release" ] && [ -n "${ASSAY_RELEASES:-}" ]; then
  version=$(cat "$here/VERSION")
  release=$ASSAY_RELEASES/v$version/assay-$version-linux-$(uname -m).tar.gz
fi
[ -n "$release" ] || fail "ASSAY_RELEASE is not set: the release tar, a file or an address" 2
[ -n "${ASSAY_BASE:-}" ] || fail "ASSAY_BASE is not set: the commit to compare with" 2
case $ASSAY_BASE in -*) fail "ASSAY_BASE is no commit" 2 ;; esac

work=$(mktemp -d)
cleanup() {
  git worktree remove --force "$work/base" 2> /dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

case $release in
  http://* | https://* | file://*)
    curl --fail --silent --show-error --location --retry 3 --output "$work/release.tar.gz" "$release" ||
      fail "cannot fetch $release" 6
    ;;
  *) cp "$release" "$work/release.tar.gz" || fail "cannot read $release" 6 ;;
esac
sh "$here/tools/unpack_release.sh" "$work/release.tar.gz" "$work/assay" || exit 6

# A shallow checkout does not have the base.
git rev-parse --verify --quiet "$ASSAY_BASE^{commit}" > /dev/null ||
  git fetch --quiet --depth=1 origin "$ASSAY_BASE" || fail "there is no commit $ASSAY_BASE to compare with" 2
git worktree add --quiet --detach "$work/base" "$(git rev-parse --verify --quiet "$ASSAY_BASE^{commit}" || echo FETCH_HEAD)"

# Folders have blanks in their names, too: git's list has one on each line.
lines=
if [ -z "${ASSAY_KERNELS:-}" ]; then
  lines=$(git -c core.quotePath=false ls-files '*kernel.toml' | while read -r spec; do dirname "$spec"; done)
  [ -n "$lines" ] || fail "there is no kernel.toml in this repository" 2
fi
status=0
# shellcheck disable=SC2086  # options are words
ASSAY="$work/assay/bin/assay" KERNELS=${ASSAY_KERNELS:-} KERNEL_LINES=$lines \
  "$here/.github/gate.sh" "$work/base" "$out" --device "${ASSAY_DEVICE:-vgpu:l4}" ${ASSAY_OPTIONS:-} || status=$?
sh "$here/.github/summarise.sh" "$out/summary.md"
exit $status
