# SPDX-License-Identifier: MIT
"""The real harness on the fake device, as a process: python3 loopback_provider.py PROBLEM"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "providers")]

from fake_gpu import FakeGpu  # noqa: E402
from fake_problems import PROBLEMS  # noqa: E402
from harness import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(PROBLEMS[sys.argv[1]](), FakeGpu))
