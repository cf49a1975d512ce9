# SPDX-License-Identifier: MIT
"""Cheat: looks for the pipe to the parent and writes an answer of its own."""

import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402



def candidate(inputs, outputs, scalars, dims):
    softmax(inputs["x"], outputs["y"])
    forged = {"id": 1, "ok": True, "us": [0.001] * 10, "fingerprints": ["0" * 16] * 10, "host_us": 1.0}
    for entry in os.listdir("/proc/self/fd"):
        try:
            if int(entry) > 2 and os.readlink(f"/proc/self/fd/{entry}").startswith("pipe:"):
                os.write(int(entry), json.dumps(forged).encode() + b"\n")
        except OSError:
            continue
