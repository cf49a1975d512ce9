# SPDX-License-Identifier: MIT
"""The provider side of docs/providers.md for PyTorch: answers the parent's requests for one problem.

A problem is an object with
  name                          in `hello`
  versions(gpu)                 further versions for `hello`
  prepare(case, gpu, sets)      builds what is called; returns in words what will run; raises Refusal if it cannot
  call(number)                  enqueues one call on the set of that number, on the current stream; returns None, or the
                                outputs that it allocated, by name
"""

import sys
import time

from case import read_case, whole
from channel import Channel, Refusal, one_line, serve
from input_set import InputSet
from kernel_list import count_threads, profile
from sampling import EventSampler, GraphSampler, Throughput

PROTOCOL = 1
FIRST_POISON = 0x5A


def open_torch_gpu(device):
    from torch_gpu import TorchGpu
    return TorchGpu(device)


class Parts:
    """Where the time of an answer went, part by part, for whoever wonders what takes so long."""

    def __init__(self):
        self.seconds = {}
        self._since = time.perf_counter()

    def done(self, name):
        now = time.perf_counter()
        self.seconds[name], self._since = round(now - self._since, 6), now


class Harness:
    def __init__(self, problem, open_gpu=open_torch_gpu):
        self._problem = problem
        self._open_gpu = open_gpu
        self._gpu = None
        self._case = None
        self._sets = []
        self._sampler = None
        self._many = None  # the graph of many calls, made when it is asked for
        self._padding = None
        self._threads_before = 0
        self._call_bytes = None  # what the last call that was not timed allocated by itself, at its peak

    def operations(self):
        names = ("hello", "prepare", "run", "read", "write", "sample", "throughput", "kernels")
        return {name: getattr(self, "_" + name) for name in names}

    def _hello(self, request):
        if request.get("protocol") != PROTOCOL:
            raise Refusal(f"the parent speaks protocol {request.get('protocol')}, this provider {PROTOCOL}")
        parts = Parts()
        self._gpu = self._open_gpu(whole(request.get("device", 0), "device"))
        parts.done("device")
        self._threads_before = count_threads()  # before any code of the user's is loaded
        versions = {"python": sys.version.split()[0], **self._gpu.versions(), **self._problem.versions(self._gpu)}
        parts.done("versions")
        return {"name": self._problem.name, "versions": versions, "device": self._gpu.name, "note": "",
                "seconds": parts.seconds}

    # One case

    def _prepare(self, request):
        gpu = self._need_gpu()
        parts = Parts()
        self._forget()
        parts.done("forget")
        case = read_case(request)
        if not case.timing.instruments:
            raise Refusal("timing names no file of instruments")
        gpu.load_instruments(case.timing.instruments)
        gpu.choose_stream(case.options.get("stream") == "default")
        with gpu.on_stream():
            self._padding = gpu.pad(case.timing.placement)
            sets = [InputSet(gpu, case, files) for files in case.sets]
            parts.done("inputs")
            before = gpu.allocated_bytes()
            variant = self._problem.prepare(case, gpu, sets)
            kept = max(0, gpu.allocated_bytes() - before)
            parts.done("problem")
            for _ in range(case.timing.warm_up_calls):
                for number, own in enumerate(sets):
                    self._plain_call(number, own, FIRST_POISON)
            parts.done("warm-up")
            sampler = GraphSampler if case.timing.protocol == "graph" else EventSampler
            self._sampler = sampler(gpu, case, self._problem, sets)
            gpu.synchronize()
            parts.done("sampler")
        self._case, self._sets = case, sets
        answer = {"variant": variant, "seconds": parts.seconds}
        if self._call_bytes is not None:
            answer["device_bytes"] = sum(tensor.bytes for tensor in case.tensors.values()) + kept + self._call_bytes
        return answer

    def _forget(self):
        if self._sampler is not None:
            self._sampler.close()
        self._case, self._sets, self._sampler, self._many, self._padding = None, [], None, None, None
        self._call_bytes = None
        self._gpu.release()

    def _plain_call(self, number, own, poison):
        own.ready(poison)
        before = self._gpu.watch_memory()
        own.returned = self._problem.call(number)
        # Results that it allocated stand for the outputs, which are counted already.
        results = sum(self._gpu.result_bytes(result) for result in (own.returned or {}).values())
        self._call_bytes = max(0, self._gpu.peak_bytes() - before - results)
        own.collect(own.returned)
        self._gpu.synchronize()

    # Requests on the case

    def _run(self, request):
        own, number = self._set(request)
        poison = self._byte(request.get("poison", FIRST_POISON))
        with self._gpu.on_stream():
            self._plain_call(number, own, poison)
        return {}

    def _read(self, request):
        own, _ = self._set(request)
        with self._gpu.on_stream():
            for name, path in request["files"].items():
                own.read(name, path)
        return {}

    def _write(self, request):
        own, _ = self._set(request)
        with self._gpu.on_stream():
            for name, path in request["files"].items():
                own.write(name, path)
        return {}

    def _sample(self, request):
        self._need_case()
        order, poison = request["order"], request["poison"]
        if not order or len(order) != len(poison):
            raise Refusal(f"'order' has {len(order)} entries and 'poison' {len(poison)}; expected as many")
        for number in order:
            self._check_set(number)
        for byte in poison:
            self._byte(byte)
        gpu = self._gpu
        with gpu.on_stream():
            taken = self._sampler.sample(order, poison)
        count = len(order)
        answer = {"us": taken.us, "fingerprints": [f"{value:016x}" for value in taken.fingerprints],
                  "clock_mhz": [gpu.clock_mhz()] * count, "throttled": [gpu.throttled()] * count,
                  "gate": {"cycles": self._sampler.gate_cycles, "retaken": taken.retaken, "ungated": taken.ungated},
                  "host_us": taken.host_us}
        if gpu.unpoisoned:
            answer["unpoisoned"] = gpu.unpoisoned
        return answer

    def _throughput(self, request):
        self._need_case()
        replays = whole(request.get("replays", 1), "replays", 1)
        with self._gpu.on_stream():
            if self._many is None:
                self._many = Throughput(self._gpu, self._case, self._problem, self._sets)
            us, host_us = self._many.measure(replays)
        return {"us": us, "host_us": host_us}

    def _kernels(self, request):
        own, number = self._set(request)
        gpu = self._gpu
        with gpu.on_stream():
            own.ready(FIRST_POISON)
            own.returned = self._problem.call(number)
            threads = count_threads()  # at once: a thread that ends after its work is still there
            gpu.synchronize()
            nodes = self._sampler.nodes[number]
            if nodes is None:
                nodes = self._count_nodes(number)
            answer = {"graph_nodes": nodes, "threads_before": self._threads_before, "threads_after": threads,
                      "persisting_l2_bytes": max(self._sampler.persisting_l2_bytes, gpu.persisting_l2_bytes())}
            # A profiler takes seconds to start: where only names are wanted, those of a captured call do.
            if not request.get("profile", True) and (names := self._captured_names(number)) is not None:
                return {**answer, "available": True,
                        "kernels": [{"name": name, "stream": 0, "us": None} for name in names]}
            own.ready(FIRST_POISON)
            try:
                kernels = profile(gpu, lambda: self._problem.call(number))
            except Exception as error:  # profilers fail in many ways, and none of them concerns the timing
                return {**answer, "available": False, "reason": one_line(error), "kernels": []}
        return {**answer, "available": True, "kernels": kernels}

    def _count_nodes(self, number):
        """Of a call that is captured and never runs; None where none can be."""
        counted = []

        def call():
            counted.append(self._gpu.captured_nodes())
            self._problem.call(number)
            counted.append(self._gpu.captured_nodes())

        try:
            self._gpu.capture(call)
        except Refusal:
            return None
        return None if None in counted else counted[1] - counted[0]

    def _captured_names(self, number):
        try:
            return self._gpu.names_in_call(lambda: self._problem.call(number))
        except (Refusal, RuntimeError):
            return None  # the profiler can say more

    # What a request must find

    def _need_gpu(self):
        if self._gpu is None:
            raise Refusal("the first request must be hello")
        return self._gpu

    def _need_case(self):
        self._need_gpu()
        if self._case is None:
            raise Refusal("no case is prepared")

    def _set(self, request):
        self._need_case()
        number = request.get("set", 0)
        self._check_set(number)
        return self._sets[number], number

    def _check_set(self, number):
        if whole(number, "a set") >= len(self._sets):
            raise Refusal(f"there is no set {number}; the case has {len(self._sets)}")

    @staticmethod
    def _byte(value):
        if whole(value, "poison") > 255:
            raise Refusal(f"poison is {value}; expected a byte")
        return value


def main(problem, open_gpu=open_torch_gpu):
    channel = Channel.take_standard_pipes()
    return serve(channel, Harness(problem, open_gpu).operations())
