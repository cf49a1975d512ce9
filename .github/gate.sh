#!/bin/sh
# SPDX-License-Identifier: MIT
# Gates every kernel of this checkout against the same folder of another checkout.
#   .github/gate.sh BASE OUT [assay gate options...]
# BASE is the other checkout; OUT gets a JUnit file and a Markdown file for each kernel, and summary.md for all of them.
# KERNELS names other folders, separated by blanks, or KERNEL_LINES, one on each line; ASSAY names another program. The
# exit status is the worst of the gates', in the order 0 pass, 4 inconclusive, 3 regression, and then everything else: 2
# for a folder without a kernel.toml, 4 if there was nothing to judge. What an earlier run left in OUT is gone, however
# this one ends.
set -u
[ $# -ge 2 ] || { echo "usage: gate.sh BASE OUT [assay gate options...]" >&2; exit 2; }
base=$1
out=$2
shift 2
assay=${ASSAY:-build/assay}
kernels=${KERNELS:-$(git ls-files 'kernels/*kernel.toml' | grep -v -e '/broken/' -e '/red_team/' -e '/tensor_map_copy/' | xargs -n 1 dirname)}
rm -f "$out/summary.md" || exit 6
mkdir -p "$out" || exit 6

# A path as it may stand in a log and in Markdown.
shown() { printf '%s' "$1" | LC_ALL=C tr '\001-\037\177`<>|' '?'; }

rank() {
  case $1 in 0) echo 0 ;; 4) echo 1 ;; 3) echo 2 ;; *) echo 3 ;; esac
}

worst=0
judged=0
: > "$out/summary.md" || exit 6
if [ -n "${KERNEL_LINES:-}" ]; then
  kernels=$KERNEL_LINES
  IFS='
'
fi
set -f
for kernel in $kernels; do
  name=$(printf '%s' "${kernel#kernels/}" | tr '/' '-')
  rm -f "$out/$name.xml" "$out/$name.md" "$out/$name.txt"
  printf '\n# `%s`\n\n' "$(shown "$kernel")" >> "$out/summary.md"
  if [ ! -e "$kernel/kernel.toml" ]; then
    printf 'gate: there is no kernel.toml in %s\n' "$(shown "$kernel")" >&2
    echo "There is no kernel.toml." >> "$out/summary.md"
    worst=2
    continue
  fi
  if [ ! -e "$base/$kernel/kernel.toml" ]; then
    printf '== %s: new, so there is nothing to compare with\n' "$(shown "$kernel")"
    echo "New: nothing to compare with." >> "$out/summary.md"
    continue
  fi
  printf '== %s\n' "$(shown "$kernel")"
  "$assay" gate "$kernel" --against "$base/$kernel" --junit "$out/$name.xml" --markdown "$out/$name.md" "$@" \
    > "$out/$name.txt" 2>&1
  status=$?
  judged=$((judged + 1))
  cat "$out/$name.txt"
  if [ -e "$out/$name.md" ]; then
    cat "$out/$name.md" >> "$out/summary.md"
  else
    # No verdict was reached; what the gate said stands instead of a report.
    { echo "No verdict (exit code $status):"; echo; sed 's/^/    /' "$out/$name.txt"; } >> "$out/summary.md"
  fi
  [ "$(rank $status)" -gt "$(rank $worst)" ] && worst=$status
done
if [ $judged -eq 0 ] && [ $worst -eq 0 ]; then
  echo "gate: no kernel was judged" >&2
  echo "No kernel was judged." >> "$out/summary.md"
  exit 4
fi
exit $worst
