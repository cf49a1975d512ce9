# SPDX-License-Identifier: MIT
"""What the tests of mutate ask with: a request, and the texts that one transformation makes of a source."""

import pathlib
import sys

PROPOSERS = pathlib.Path(__file__).resolve().parents[2] / "proposers"
sys.dont_write_bytecode = True
sys.path.insert(0, str(PROPOSERS))

from mutations.change import applied  # noqa: E402
from mutations.source import Source  # noqa: E402

SPECIFICATION = "[launch]\nblock = [256]\n\n[tunable]\nBLOCK = [64, 128]\n"


def request(files, findings=(), tried=(), specification=SPECIFICATION, folder="", device="cuda:0"):
    return {"proposal": len(tried) + 1, "specification": specification, "findings": list(findings),
            "counters": {"lines": []}, "tried": list(tried), "kernel": {"folder": folder, "device": device},
            "parent": {"id": "p", "files": files}}


def results(make, text, name="k.cu"):
    """(change, changed text) of each change that `make` finds in a source."""
    found = []
    for change in make(Source(name, text), request({name: text})):
        changed = applied(text, change.edits[name])
        assert changed is not None, change.text
        found.append((change, changed))
    return found


def texts(make, text, name="k.cu"):
    return [changed for _, changed in results(make, text, name)]
