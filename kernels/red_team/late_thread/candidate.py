# SPDX-License-Identifier: MIT
"""Cheat: leaves the work to a thread and returns."""

import pathlib
import queue
import sys
import threading

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from python_kernel import softmax  # noqa: E402


JOBS = queue.Queue()
SIDE = torch.cuda.Stream()


def work():
    SIDE.synchronize()  # makes the device's context current on this thread
    while True:
        x, y = JOBS.get()
        softmax(x, y, SIDE.cuda_stream)


def candidate(inputs, outputs, scalars, dims):
    if threading.active_count() == 1:
        threading.Thread(target=work, daemon=True).start()
    JOBS.put((inputs["x"], outputs["y"]))
