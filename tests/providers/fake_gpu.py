# SPDX-License-Identifier: MIT
"""A device for the tests of the harness: memory is a dictionary of byte arrays, time is a number that work advances.

It does what torch_gpu.TorchGpu promises, with one stream. Work runs when it is enqueued; while a graph is captured it
is put down instead, and runs at each replay.
"""

import collections
import contextlib
import os
import struct

from channel import Refusal

Buffer = collections.namedtuple("Buffer", "address bytes flat view")

US_PER_CYCLE = 1 / 2000
FILL_US = 1.0
ENQUEUE_US = float(os.environ.get("FAKE_CUDA_ENQUEUE_US", "50"))  # what the host takes for what it waits for next
TRACE = os.environ.get("FAKE_CUDA_TRACE", "")                      # a file to which what the device does is appended


class FakeGraph:
    def __init__(self, work):
        self._work = work

    def replay(self):
        for step in self._work:
            step()


class FakeGpu:
    name = "a fake GPU"

    def __init__(self, device=0):
        if device != 0:
            raise Refusal(f"there is no device {device}")
        self.memory = {}
        self.now_us = 100.0
        self.began_us = 100.0  # the work that is waited for next
        self.events = {}
        self.log = []
        self.unpoisoned = 0
        self.persisting = 0
        self.gate_open_after = 0  # the gate has passed this many times before it holds
        self._next = 0x1000
        self._captured = None
        self.default_stream = False
        self._nodes = 0
        self._names = []
        self.most_bytes = 0

    def versions(self):
        return {"fake": "1"}

    # Work

    def enqueue(self, step, node=True, name="memset"):
        if self._captured is None:
            step()
        else:
            self._captured.append(step)
            self._nodes += node
            self._names += [name] * node

    def work(self, name, function, us):
        """What a problem calls: a kernel that takes so long."""
        def step():
            self.log.append(name)
            self.trace("call" if name.startswith("call") else name)
            function()
            self.now_us += us
        self.enqueue(step, name=name)

    def trace(self, what):
        if TRACE:
            with open(TRACE, "a", encoding="utf-8") as file:
                file.write(what + "\n")

    def capture(self, function):
        if self.default_stream:
            raise Refusal("the default stream cannot be captured as a CUDA graph")
        self._captured, self._nodes, self._names = [], 0, []
        try:
            function()
            return FakeGraph(self._captured)
        finally:
            self._captured = None

    def captured_nodes(self):
        return None if self._captured is None else self._nodes

    def names_in_call(self, function):
        self.capture(function)
        return self._names

    # Memory

    def _take(self, count):
        address = self._next
        self._next += (count + 0xfff) & ~0xfff
        self.memory[address] = bytearray(count)
        return address

    def _bytes_at(self, address):
        for start, contents in self.memory.items():
            if start <= address < start + max(1, len(contents)):
                return contents, address - start
        raise RuntimeError(f"illegal address {address:#x}")

    def allocate(self, tensor):
        address = self._take(tensor.bytes)
        return Buffer(address, tensor.bytes, self.memory[address], self.memory[address])

    def staging(self, count):
        return bytearray(count)

    def upload(self, buffer, contents):
        buffer.flat[:] = contents

    def download(self, buffer):
        return bytes(buffer.flat)

    def copy(self, source, target):
        target.flat[:] = source.flat

    def fill(self, address, byte, count):
        def step():
            contents, offset = self._bytes_at(address)
            contents[offset:offset + count] = bytes([byte]) * count
            self.now_us += FILL_US
        self.enqueue(step)

    def allocated_bytes(self):
        return sum(len(contents) for contents in self.memory.values())

    def watch_memory(self):
        self.most_bytes = self.allocated_bytes()
        return self.most_bytes

    def peak_bytes(self):
        return max(self.most_bytes, self.allocated_bytes())

    @staticmethod
    def result_bytes(result):
        return 0  # results are no part of this memory

    def workspace(self, count):
        """Memory that a problem takes and gives back within one call."""
        address = self._take(count)
        self.most_bytes = max(self.most_bytes, self.allocated_bytes())
        del self.memory[address]

    def pad(self, pieces):
        self.log.append(f"pad {pieces}")

    def release(self):
        self.log.append("release")

    # Results that a problem allocated: byte arrays

    @staticmethod
    def layout(result):
        return len(result)

    def poison_result(self, result, byte):
        result[:] = bytes([byte]) * len(result)

    def poison_free_memory(self, layouts, byte):
        self.log.append(f"poisoned {len(layouts)} free")

    def note_results(self, returned):
        pass

    def store(self, result, tensor, buffer):
        def step():
            buffer.flat[:] = result
        self.enqueue(step)

    # Time

    def choose_stream(self, default):
        self.default_stream = default

    def on_stream(self):
        return contextlib.nullcontext()

    def synchronize(self):
        self.began_us = self.now_us

    def make_event(self):
        event = len(self.events) + 1
        self.events[event] = None
        return event

    def drop_event(self, event):
        self.events[event] = "dropped"

    def record(self, event):
        def step():
            self.trace("record")
            self.events[event] = self.now_us
        self.enqueue(step, node=False)

    def has_passed(self, event):
        if self.gate_open_after > 0:
            self.gate_open_after -= 1
            return True
        return self.events[event] - self.began_us <= ENQUEUE_US

    def microseconds_between(self, start, stop):
        return self.events[stop] - self.events[start]

    # Instruments

    def load_instruments(self, path):
        self.log.append(f"instruments {path}")

    def make_slots(self, count):
        return FakeSlots(self, self._take(8 * count), count)

    def fingerprint(self, address, count, slot):
        def step():
            self.trace("fingerprint")
            contents, _ = self._bytes_at(address)
            add_to(self, slot, fingerprint(contents[:count]))
        self.enqueue(step)

    def spin(self, cycles):
        self.work(f"spin {cycles}", lambda: None, cycles * US_PER_CYCLE)

    def flush(self, count):
        self.work(f"flush {count}", lambda: None, 50.0)

    def reset_persisting_l2(self):
        held, self.persisting = self.persisting, 0
        self.log.append("reset persisting")
        self.trace("reset")
        return held

    def persisting_l2_bytes(self):
        return self.persisting

    def clock_mhz(self):
        return 1980

    def throttled(self):
        return False


class FakeSlots:
    def __init__(self, gpu, memory, count):
        self._gpu, self._memory, self._count = gpu, memory, count

    def address(self, index):
        return self._memory + 8 * index

    def clear(self, first=0, count=None):
        self._gpu.fill(self.address(first), 0, 8 * (self._count if count is None else count))

    def read(self):
        return struct.unpack(f"<{self._count}Q", self._gpu.memory[self._memory])


def add_to(gpu, slot, value):
    contents, offset = gpu._bytes_at(slot)
    old = struct.unpack_from("<Q", contents, offset)[0]
    struct.pack_into("<Q", contents, offset, (old + value) % 2**64)


def fingerprint(contents):
    """The definition in docs/providers.md, word by word."""
    padded = bytes(contents) + b"\0" * (-len(contents) % 4)
    words = struct.unpack(f"<{len(padded) // 4}I", padded)
    return sum(word * (2 * j + 1) for j, word in enumerate(words)) % 2**64
