#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cookbook's kernels on a GPU: every repaired one is correct there, and what the repair brings is measured.

usage: cookbook_truth.py [PROGRAM] [SECONDS]      PROGRAM: build/assay; SECONDS of sampling for each pair, 10 by default

Prints one Markdown table for each pair, as `assay bench` writes it: the repaired kernel beside the one before.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/project"))
from documents_test import read_examples  # noqa: E402

# page, repaired kernel, kernel before it, a shape that fills a GPU
PAIRS = [
    ("coalescing", "tiled", "naive", "ROWS=8192,COLUMNS=8192"),
    ("swizzle", "swizzled", "plain", "TILES=32768"),
    ("swizzle", "padded", "plain", "TILES=32768"),
    ("shared_memory_budget", "two_tiles", "eight_tiles", "TILES=32768"),
    ("online_softmax", "online", "direct", "ROWS=65536,COLUMNS=1024,SPREAD=1"),
    ("ci_without_gpu", "base", "change", "ROWS=65536,COLUMNS=1024"),
]
# page, kernels that must be correct on a GPU too
CORRECT = [("first_verdict", ["scale_guarded"]), ("misaligned_copy", ["padded_by_eight"]), ("coalescing", ["tiled"]),
           ("swizzle", ["swizzled", "padded"]), ("shared_memory_budget", ["two_tiles"]), ("copy_pipeline", ["ordered"]),
           ("online_softmax", ["online"]), ("fragments", ["right", "warpgroup"]), ("numerics", ["float_sum", "rounded"])]


def unpack(page, folder):
    for example in read_examples(page, (ROOT / f"docs/cookbook/{page}.md").read_text()):
        if example.file:
            path = folder / example.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(example.text)


def main(arguments):
    program = str(pathlib.Path(arguments[0] if arguments else ROOT / "build/assay").resolve())
    seconds = arguments[1] if len(arguments) > 1 else "10"
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        for page in {entry[0] for entry in PAIRS + CORRECT}:
            unpack(page, top / page)

        def run(page, *words):
            done = subprocess.run([program, *words], cwd=top / page, stdout=subprocess.PIPE, text=True)
            return done.returncode, done.stdout

        for page, kernels in CORRECT:
            for kernel in kernels:
                code, text = run(page, "check", kernel, "--device", "cuda:0", "--fuzz", "4")
                if code == 6:  # not a kernel for this GPU
                    print(f"skipped {page}/{kernel}: {text.strip()}")
                elif code != 0:
                    failed += 1
                    print(f"FAILED {page}/{kernel}\n{text}")
        for page, repaired, before, shape in PAIRS:
            code, text = run(page, "bench", repaired, "--baseline", before, "--shape", shape, "--budget", seconds,
                             "--format", "markdown")
            failed += code != 0
            print(f"## {page}: {repaired} beside {before}, {shape}\n\n{text}")
    print("FAILED" if failed else "passed", f"{failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
