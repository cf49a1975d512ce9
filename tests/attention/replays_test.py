# SPDX-License-Identifier: MIT
"""Replays of CUDA graphs in turn, over a PyTorch whose clock counts replays."""

import pathlib
import random
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "kernels/attention"))
import replays  # noqa: E402


class Clock:
    milliseconds = 0.0


class Event:
    def __init__(self, enable_timing):
        self.enabled = enable_timing

    def record(self):
        self.at = Clock.milliseconds

    def synchronize(self):
        pass

    def elapsed_time(self, other):
        return other.at - self.at


class Graph:
    def __init__(self, name, milliseconds, played):
        self.name, self.milliseconds, self.played = name, milliseconds, played

    def replay(self):
        Clock.milliseconds += self.milliseconds
        self.played.append(self.name)


class ReplaysTest(unittest.TestCase):
    def setUp(self):
        sys.modules["torch"] = types.SimpleNamespace(cuda=types.SimpleNamespace(Event=Event))
        self.addCleanup(sys.modules.pop, "torch")

    def test_a_call_is_timed_in_microseconds(self):
        result, microseconds = replays.timed(lambda a, b: setattr(Clock, "milliseconds", Clock.milliseconds + 2) or a + b, 3, 4)
        self.assertEqual((result, microseconds), (7, 2000.0))

    def test_warm_up_does_not_count_and_the_order_changes(self):
        played = []
        graphs = {name: Graph(name, length, played) for name, length in (("a", 1.0), ("b", 2.0), ("c", 4.0))}
        times = replays.interleaved(graphs, 10, 6, 2, random.Random(5))
        self.assertEqual(list(times), ["a", "b", "c"])
        self.assertEqual(times["b"], [200.0] * 6)  # of ten calls in 2 ms
        rounds = [tuple(played[at:at + 3]) for at in range(0, len(played), 3)]
        self.assertEqual(len(rounds), 8)
        self.assertTrue(all(set(each) == {"a", "b", "c"} for each in rounds))
        self.assertGreater(len(set(rounds)), 1)


if __name__ == "__main__":
    unittest.main()
