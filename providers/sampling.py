# SPDX-License-Identifier: MIT
"""The two ways to time single calls, and the throughput of many (docs/providers.md, "One timed call").

Everything is enqueued behind a kernel that spins, so that the time to enqueue is not measured and the device does the
same, one thing after the other, for every contender.

`graph`: one CUDA graph for each set, with the cache flush, both events, the call and the fingerprint in it. The poison,
whose byte differs from sample to sample, is filled on the same stream just before the graph. Each sample is waited for.

`event`: calls are enqueued one after the other, several of them behind one gate.

A gate that opened before all was enqueued makes samples worthless: they are taken again behind a longer one. Waiting
for the host's word instead would hang for ever on a call that synchronises. The parent decides how long gates are and
how many samples stand behind one (`timing.gate`); nothing is decided here.
"""

import time

from channel import Refusal

now_ns = time.perf_counter_ns   # bound before user code is loaded


class Taken:
    """What was measured for each sample."""

    def __init__(self, count):
        self.us = [0.0] * count
        self.fingerprints = [0] * count
        self.retaken = 0  # samples that were thrown away, because their gate had opened
        self.ungated = 0  # samples that were kept although it had
        self.host_us = 0.0


class CallSampler:
    """What both protocols share: the part of a sample that lies between poison and fingerprint."""

    def __init__(self, gpu, case, problem, sets):
        self.gpu, self.case, self.problem, self.sets = gpu, case, problem, sets
        self.persisting_l2_bytes = 0  # the most that was ever set aside when we looked
        self._gate = gpu.make_event()
        self.gate_cycles = case.timing.gate.cycles * case.timing.gate.calls

    def sample(self, order, poison):
        gate = self.case.timing.gate
        taken = Taken(len(order))
        begin = now_ns()
        for first in range(0, len(order), gate.calls):
            part = range(first, min(len(order), first + gate.calls))
            while not self._take(part, order, poison, taken):
                if self.gate_cycles >= gate.most_cycles:
                    taken.ungated += len(part)
                    break
                self.gate_cycles = min(self.gate_cycles * gate.growth, gate.most_cycles)
                taken.retaken += len(part)
        taken.host_us = (now_ns() - begin) / 1e3
        return taken

    def close_gate(self):
        self.gpu.spin(self.gate_cycles)
        self.gpu.record(self._gate)

    def still_closed(self):
        return not self.gpu.has_passed(self._gate)

    def prepare_cache(self):
        """The part that the host must do. Persisting lines would survive a flush."""
        if self.case.timing.cold:
            self.gpu.synchronize()
            self.persisting_l2_bytes = max(self.persisting_l2_bytes, self.gpu.reset_persisting_l2())

    def enqueue(self, number, start, stop, slot):
        """Returns what the call returned and how many graph nodes it added (None unless captured)."""
        gpu, timing = self.gpu, self.case.timing
        if timing.cold and timing.flush_bytes:
            gpu.flush(timing.flush_bytes)
        ready, done = getattr(self.problem, "ready", None), getattr(self.problem, "done", None)
        if ready:
            ready(number)
        gpu.record(start)
        before = gpu.captured_nodes()
        returned = self.problem.call(number)
        after = gpu.captured_nodes()
        if timing.delay_cycles:
            gpu.spin(timing.delay_cycles)
        gpu.record(stop)
        if done:
            done(number)
        gpu.note_results(returned)
        self.sets[number].collect(returned)
        self.sets[number].fingerprint(slot)
        return returned, None if before is None or after is None else after - before


class GraphSampler(CallSampler):
    def __init__(self, gpu, case, problem, sets):
        super().__init__(gpu, case, problem, sets)
        self._slots = gpu.make_slots(len(sets))
        self._events = [(gpu.make_event(), gpu.make_event()) for _ in sets]
        self._graphs, self._returned, self.nodes = [], [], []
        if case.timing.cold and case.timing.flush_bytes:
            gpu.flush(case.timing.flush_bytes)  # allocates what a capture must not
        for number in range(len(sets)):
            self._graphs.append(gpu.capture(lambda number=number: self._capture(number)))

    def _capture(self, number):
        self._slots.clear(number, 1)
        returned, nodes = self.enqueue(number, *self._events[number], self._slots.address(number))
        self._returned.append(returned)
        self.nodes.append(nodes)

    def _take(self, part, order, poison, taken):
        """Whether the gate was still closed when the call had been enqueued."""
        (index,) = part
        number = order[index]
        self.prepare_cache()
        self.close_gate()
        self.sets[number].ready(poison[index], self._returned[number])
        self._graphs[number].replay()
        hidden = self.still_closed()
        self.gpu.synchronize()
        taken.us[index] = self.gpu.microseconds_between(*self._events[number])
        taken.fingerprints[index] = self._slots.read()[number]
        return hidden

    def close(self):
        for event in [self._gate, *(event for pair in self._events for event in pair)]:
            self.gpu.drop_event(event)
        self._graphs, self._returned = [], []


class EventSampler(CallSampler):
    def __init__(self, gpu, case, problem, sets):
        super().__init__(gpu, case, problem, sets)
        places = case.timing.gate.calls
        self._slots = gpu.make_slots(places)
        self._events = [(gpu.make_event(), gpu.make_event()) for _ in range(places)]
        self.nodes = [None] * len(sets)

    def _take(self, part, order, poison, taken):
        """Whether the gate was still closed when the last call had been enqueued."""
        gpu = self.gpu
        self.prepare_cache()
        self._slots.clear()
        self.close_gate()
        for place, index in enumerate(part):
            own = self.sets[order[index]]
            own.ready(poison[index])
            own.returned, _ = self.enqueue(order[index], *self._events[place], self._slots.address(place))
        hidden = self.still_closed()
        gpu.synchronize()
        sums = self._slots.read()
        for place, index in enumerate(part):
            taken.us[index] = gpu.microseconds_between(*self._events[place])
            taken.fingerprints[index] = sums[place]
        return hidden

    def close(self):
        for event in [self._gate, *(event for pair in self._events for event in pair)]:
            self.gpu.drop_event(event)


class Throughput:
    """Calls back to back over all sets in turn: a graph of them, or, for `event`, the calls themselves where they cannot
    be captured."""

    def __init__(self, gpu, case, problem, sets):
        self._gpu, self._calls, self._gate_cycles = gpu, case.timing.calls, case.timing.gate.cycles
        held = {}  # results stay alive until their set comes again, so that every set has memory of its own

        def calls():
            for i in range(self._calls):
                held[i % len(sets)] = problem.call(i % len(sets))

        try:
            self._replay = gpu.capture(calls).replay
        except Refusal:
            if case.timing.protocol != "event":
                raise
            self._replay = calls
        self._held = held

    def measure(self, replays):
        gpu = self._gpu
        events = [(gpu.make_event(), gpu.make_event()) for _ in range(replays)]
        self._replay()
        gpu.synchronize()
        begin = now_ns()
        gpu.spin(self._gate_cycles)
        for start, stop in events:
            gpu.record(start)
            self._replay()
            gpu.record(stop)
        gpu.synchronize()
        host_us = (now_ns() - begin) / 1e3
        us = [gpu.microseconds_between(start, stop) / self._calls for start, stop in events]
        for start, stop in events:
            gpu.drop_event(start)
            gpu.drop_event(stop)
        return us, host_us
