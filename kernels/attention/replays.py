# SPDX-License-Identifier: MIT
"""Device times of calls and of CUDA graphs, for the benchmarks of the attention kernels. Needs PyTorch and a GPU."""


def timed(function, *arguments):
    """Result and device time of one call in microseconds."""
    import torch
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    result = function(*arguments)
    stop.record()
    stop.synchronize()
    return result, start.elapsed_time(stop) * 1e3


def interleaved(graphs, calls, repeats, warm_up, draw):
    """name -> microseconds per call of each replay, of graphs that hold so many calls. The first rounds do not count. In another order
    every time: a contender must not always follow the one that heats the GPU most. draw: a random.Random."""
    times = {name: [] for name in graphs}
    for repeat in range(warm_up + repeats):
        for name in draw.sample(list(graphs), len(graphs)):
            _, microseconds = timed(graphs[name].replay)
            if repeat >= warm_up:
                times[name].append(microseconds / calls)
    return times
