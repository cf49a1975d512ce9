#!/bin/sh
# SPDX-License-Identifier: MIT
# Sanitizes every kernel of this checkout and joins what was found.
#   .github/sanitize.sh OUT [assay sanitize options...]
# OUT gets a SARIF file for each kernel, and findings.sarif for all of them: code scanning takes one run of a tool.
# ASSAY_KERNELS names other folders, ASSAY_PROGRAM another program. The exit status is the last that was not 0.
set -u
[ $# -ge 1 ] || { echo "usage: sanitize.sh OUT [assay sanitize options...]" >&2; exit 2; }
out=$1
shift
assay=${ASSAY_PROGRAM:-build/assay}
kernels=${ASSAY_KERNELS:-$(git ls-files 'kernels/*kernel.toml' | grep -v -e /broken/ -e /red_team/ -e /tensor_map_copy/ |
  xargs -n 1 dirname)}
mkdir -p "$out" || exit 6
rm -f "$out"/*.sarif
status=0
for kernel in $kernels; do
  "$assay" sanitize "$kernel" --sarif "$out/$(printf '%s' "${kernel#kernels/}" | tr / -).sarif" "$@" || status=$?
done
python3 - "$out" << 'END' || status=$?
import json, pathlib, sys
out = pathlib.Path(sys.argv[1])
documents = [json.loads(file.read_text()) for file in sorted(out.glob("*.sarif"))]
if not documents:
    sys.exit("sanitize: nothing was sanitized")
joined = documents[0]
joined["runs"][0]["results"] = [result for document in documents for result in document["runs"][0].get("results", [])]
rules = {rule["id"]: rule for document in documents for rule in document["runs"][0]["tool"]["driver"].get("rules", [])}
joined["runs"][0]["tool"]["driver"]["rules"] = list(rules.values())
for result in joined["runs"][0]["results"]:
    if "ruleIndex" in result:
        result["ruleIndex"] = list(rules).index(result["ruleId"])
(out / "findings.sarif").write_text(json.dumps(joined, indent=2) + "\n")
END
exit $status
