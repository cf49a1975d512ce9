#!/bin/sh
# SPDX-License-Identifier: MIT
# Gates every kernel of this checkout against the same folder of another checkout.
#   .github/gate.sh BASE OUT [assay gate options...]
# BASE is the other checkout; OUT gets a JUnit file and a Markdown file for each kernel, and summary.md for all of them.
# KERNELS names other folders, ASSAY another program. The exit status is the worst of the gates', in the order
# 0 pass, 4 inconclusive, 3 regression, and then everything else; 4 if there was nothing to judge. What an earlier run
# left in OUT is gone, however this one ends.
set -u
[ $# -ge 2 ] || { echo "usage: gate.sh BASE OUT [assay gate options...]" >&2; exit 2; }
base=$1
out=$2
shift 2
assay=${ASSAY:-build/assay}
kernels=${KERNELS:-$(git ls-files 'kernels/*kernel.toml' | grep -v -e '/broken/' -e '/red_team/' -e '/tensor_map_copy/' | xargs -n 1 dirname)}
rm -f "$out/summary.md" || exit 6
mkdir -p "$out" || exit 6

rank() {
  case $1 in 0) echo 0 ;; 4) echo 1 ;; 3) echo 2 ;; *) echo 3 ;; esac
}

worst=0
judged=0
: > "$out/summary.md" || exit 6
for kernel in $kernels; do
  name=$(printf '%s' "${kernel#kernels/}" | tr '/' '-')
  rm -f "$out/$name.xml" "$out/$name.md" "$out/$name.txt"
  printf '\n# %s\n\n' "$kernel" >> "$out/summary.md"
  if [ ! -e "$base/$kernel/kernel.toml" ]; then
    echo "== $kernel: new, so there is nothing to compare with"
    echo "New: nothing to compare with." >> "$out/summary.md"
    continue
  fi
  echo "== $kernel"
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
if [ $judged -eq 0 ]; then
  echo "gate: no kernel was judged" >&2
  echo "No kernel was judged." >> "$out/summary.md"
  exit 4
fi
exit $worst
