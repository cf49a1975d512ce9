# SPDX-License-Identifier: MIT
"""What one call really launches, on which streams, and which threads it leaves behind.

The profiler of PyTorch (CUPTI) stays attached to the process after its first use and slows every later launch (11.4 us
became 11.7 us for one call of SDPA on an H200), so this is to be asked when everything has been timed.
"""

import json
import os
import tempfile
import threading
import time

DEVICE_WORK = ("kernel", "gpu_memcpy", "gpu_memset")
LATE_WORK_SECONDS = 0.05  # how long work that a call left to a thread of its own has to show itself
MARK = "assay_spin"


def count_threads():
    """Threads of this process that are not the CUDA driver's own: those come and go as it likes."""
    names = []
    try:
        for task in os.listdir("/proc/self/task"):
            try:
                with open(f"/proc/self/task/{task}/comm", encoding="utf-8", errors="replace") as file:
                    names.append(file.read().strip())
            except OSError:
                continue  # it ended meanwhile
    except OSError:
        return threading.active_count()
    return sum(not name.startswith("cuda") for name in names)


def read_trace(events):
    """Device work of a trace in PyTorch's (Chrome's) format, in the order of its start. The kernel MARK runs on the
    stream that is timed; that stream is called 0, others keep their numbers."""
    work = [event for event in events if event.get("cat") in DEVICE_WORK]
    work.sort(key=lambda event: event.get("ts", 0))

    def stream(event):
        return event.get("args", {}).get("stream", -1)

    timed = {stream(event) for event in work if MARK in event.get("name", "")}
    return [{"name": event["name"], "stream": 0 if stream(event) in timed else stream(event),
             "us": event.get("dur", 0.0)}
            for event in work if MARK not in event.get("name", "")]


def profile(gpu, call):
    """The kernels of one call. Raises whatever the profiler raises."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as torch_profile

    with torch_profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        gpu.spin(1)
        call()
        time.sleep(LATE_WORK_SECONDS)
        gpu.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
    kernels = read_trace(trace.get("traceEvents", []))
    if not any(MARK in event.get("name", "") for event in trace.get("traceEvents", []) if event.get("cat") == "kernel"):
        raise RuntimeError("the profiler recorded no kernel, not even our own")
    return kernels
