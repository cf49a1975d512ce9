# SPDX-License-Identifier: MIT
"""Requests on the harness, with a fake device: what is computed, poisoned, timed and refused."""

import unittest

from support import COLUMNS, MANY_BEHIND_GATE, ROWS, SETS, HarnessCase, floats

import fake_gpu
from fake_problems import CALL_US, Accumulating, Lazy, ReturnedRowSums, RowSums, Spacious


def hex_fingerprint(contents):
    return f"{fake_gpu.fingerprint(contents):016x}"


class Answers(HarnessCase):
    def test_hello_names_problem_device_and_versions(self):
        self.start(RowSums())
        answer = self.ask("hello", protocol=1, device=0)
        self.assertEqual(answer["name"], "row_sums")
        self.assertEqual(answer["device"], "a fake GPU")
        self.assertEqual(answer["versions"]["row_sums"], "1")

    def test_another_protocol_is_refused(self):
        self.start(RowSums())
        self.assertIn("protocol 2", self.refuse("hello", protocol=2, device=0))

    def test_prepare_says_what_runs(self):
        self.assertEqual(self.start(RowSums())["variant"], "row sums, one by one")

    def test_prepare_says_how_much_memory_a_call_holds(self):
        of_arguments = 4 * ROWS * COLUMNS + 4 * ROWS
        self.assertEqual(self.start(RowSums())["device_bytes"], of_arguments)
        self.assertEqual(self.start(ReturnedRowSums())["device_bytes"], of_arguments)
        self.assertEqual(self.start(Spacious())["device_bytes"], of_arguments + Spacious.KEPT + Spacious.WITHIN)

    def test_without_a_call_nothing_is_said_about_memory(self):
        self.assertNotIn("device_bytes", self.start(RowSums(), warm_up_calls=0))

    def test_run_and_read(self):
        self.start(RowSums())
        for number in range(SETS):
            self.ask("run", set=number, poison=165)
            self.assertEqual(self.read(number), self.expected(number))

    def test_inputs_can_be_read(self):
        self.start(RowSums())
        self.assertEqual(self.read(2, "x"), floats(self.inputs[2]))

    def test_write_changes_what_the_next_call_sees_and_not_the_output(self):
        self.start(RowSums())
        self.ask("run", set=1, poison=165)
        (self.folder / "new").write_bytes(floats([2.0] * (ROWS * COLUMNS)))
        self.ask("write", set=1, files={"x": str(self.folder / "new")})
        self.assertEqual(self.read(1), self.expected(1))
        self.ask("run", set=1, poison=165)
        self.assertEqual(self.read(1), floats([2.0 * COLUMNS] * ROWS))

    def test_poison_shows_a_call_that_does_nothing(self):
        self.start(Lazy(), protocol="event")
        self.ask("run", set=0, poison=0x3C)
        self.assertEqual(self.read(0), b"\x3c" * (4 * ROWS))

    def test_a_second_prepare_replaces_the_first(self):
        self.start(RowSums())
        first = dict(self.gpu.events)
        self.ask("prepare", **self.request())
        self.assertTrue(all(self.gpu.events[event] == "dropped" for event in first))
        self.ask("run", set=3, poison=1)
        self.assertEqual(self.read(3), self.expected(3))

    def test_prepare_lays_unused_memory_before_the_arguments(self):
        self.start(RowSums(), placement=5)
        self.assertIn("pad 5", self.gpu.log)

    def test_inout_is_restored_before_each_call(self):
        request = self.request()
        request["arguments"][1]["role"] = "inout"
        (self.folder / "y").write_bytes(floats([100.0] * ROWS))
        for files in request["sets"]:
            files["y"] = str(self.folder / "y")
        self.start(Accumulating(), request)
        self.ask("sample", order=[0, 1, 0, 0], poison=[1, 2, 3, 4])
        sums = [sum(self.inputs[0][r * COLUMNS:(r + 1) * COLUMNS]) for r in range(ROWS)]
        self.assertEqual(self.read(0), floats([100.0 + value for value in sums]))


class Samples(HarnessCase):
    def check_samples(self, problem, **timing):
        self.start(problem, **timing)
        order = [2, 0, 3, 1, 1, 0, 2]
        answer = self.ask("sample", order=order, poison=[17, 201, 90, 4, 5, 6, 7])
        for us in answer["us"]:
            self.assertAlmostEqual(us, CALL_US + timing.get("delay_cycles", 0) * fake_gpu.US_PER_CYCLE)
        self.assertEqual(answer["fingerprints"], [hex_fingerprint(self.expected(number)) for number in order])
        self.assertEqual(answer["clock_mhz"], [1980] * len(order))
        self.assertEqual(answer["throttled"], [False] * len(order))
        self.assertGreater(answer["host_us"], 0)
        for number in range(SETS):
            self.assertEqual(self.read(number), self.expected(number))

    def test_every_protocol_and_cache_state_times_the_call_alone(self):
        for problem in (RowSums, ReturnedRowSums):
            for protocol in ("graph", "event"):
                for cache in ("warm", "cold"):
                    for delay in (0, 4000):
                        with self.subTest(problem=problem, protocol=protocol, cache=cache, delay=delay):
                            self.check_samples(problem(), protocol=protocol, cache=cache, flush_bytes=64,
                                               delay_cycles=delay)

    def test_cold_resets_persisting_lines_and_flushes_before_each_call(self):
        for protocol in ("graph", "event"):
            self.start(RowSums(), protocol=protocol, cache="cold", flush_bytes=64)
            self.gpu.log.clear()
            self.ask("sample", order=[1, 2], poison=[1, 2])
            steps = [step for step in self.gpu.log if not step.startswith("spin")]
            before = ["reset persisting", "flush 64"]
            self.assertEqual(steps, [*before, "call 1", *before, "call 2"])

    def test_warm_does_neither(self):
        self.start(RowSums())
        self.gpu.log.clear()
        self.ask("sample", order=[1], poison=[1])
        self.assertEqual([step for step in self.gpu.log if not step.startswith("spin")], ["call 1"])

    def test_the_fingerprint_of_a_call_that_does_nothing_is_that_of_the_poison(self):
        for protocol in ("graph", "event"):
            self.start(Lazy(), protocol=protocol)  # the third call, captured or not, is empty
            answer = self.ask("sample", order=[0, 0], poison=[7, 9])
            self.assertEqual(answer["fingerprints"], [hex_fingerprint(bytes([p]) * (4 * ROWS)) for p in (7, 9)])

    def test_an_open_gate_means_another_try(self):
        for timing in ({"protocol": "event", "gate": MANY_BEHIND_GATE}, {"protocol": "event"}, {"protocol": "graph"}):
            together = timing.get("gate", {}).get("calls", 1) > 1
            with self.subTest(timing=timing):
                self.start(RowSums(), **timing)
                self.gpu.gate_open_after = 1
                before = self.problem.calls
                answer = self.ask("sample", order=[0, 1], poison=[1, 2])
                retaken = 2 if together else 1
                self.assertEqual(self.problem.calls - before, 2 + retaken)
                self.assertEqual(answer["gate"]["retaken"], retaken)
                self.assertEqual(answer["gate"]["ungated"], 0)
                self.assertEqual(answer["gate"]["cycles"], 4 * 250_000 * (32 if together else 1))

    def test_a_gate_that_never_holds_is_given_up_and_said(self):
        for protocol in ("event", "graph"):
            self.start(RowSums(), protocol=protocol)
            self.gpu.gate_open_after = 1000
            answer = self.ask("sample", order=[0, 1], poison=[1, 2])
            self.assertEqual(len(answer["us"]), 2)
            self.assertEqual(answer["gate"]["ungated"], 2)
            self.assertEqual(answer["gate"]["cycles"], 400_000_000)

    def test_how_it_is_timed_has_no_defaults(self):
        for name in ("protocol", "cache", "flush_bytes", "calls", "delay_cycles", "placement", "gate", "warm_up_calls"):
            request = self.request()
            del request["timing"][name]
            self.start(RowSums())
            self.assertIn(f'no "{name}"', self.refuse("prepare", **request))
        for name in ("cycles", "growth", "most_cycles", "calls"):
            request = self.request()
            del request["timing"]["gate"][name]
            self.assertIn(f'no "{name}"', self.refuse("prepare", **request))
        self.assertIn("a graph stands alone", self.refuse("prepare", **self.request(gate=MANY_BEHIND_GATE)))

    def test_throughput_is_the_time_of_a_replay_divided_by_its_calls(self):
        self.start(ReturnedRowSums())
        answer = self.ask("throughput", replays=5)
        self.assertEqual(len(answer["us"]), 5)
        for us in answer["us"]:
            self.assertAlmostEqual(us, CALL_US)

    def test_the_default_stream_is_timed_by_events_and_never_captured(self):
        request = self.request(protocol="event")
        request["options"] = {"stream": "default"}
        self.start(RowSums(), request)
        self.assertTrue(self.gpu.default_stream)
        self.ask("run", set=1, poison=165)
        self.assertEqual(self.read(1), self.expected(1))
        for us in self.ask("throughput", replays=5)["us"]:
            self.assertAlmostEqual(us, CALL_US)
        self.assertIsNone(self.ask("kernels", set=0)["graph_nodes"])
        self.ask("prepare", **self.request())  # the next case has the provider's own again
        self.assertFalse(self.gpu.default_stream)

    def test_a_graph_of_the_default_stream_is_refused(self):
        request = self.request()
        request["options"] = {"stream": "default"}
        self.start(RowSums())
        self.assertIn("default stream", self.refuse("prepare", **request))


class Kernels(HarnessCase):
    def test_without_a_profiler_the_rest_is_answered(self):
        self.start(RowSums())
        answer = self.ask("kernels", set=0)
        self.assertFalse(answer["available"])
        self.assertTrue(answer["reason"])
        self.assertEqual(answer["graph_nodes"], 1)
        self.assertEqual(answer["threads_before"], answer["threads_after"])
        self.assertEqual(answer["persisting_l2_bytes"], 0)

    def test_names_alone_need_no_profiler(self):
        self.start(RowSums())
        before = list(self.gpu.log)
        answer = self.ask("kernels", set=0, profile=False)
        self.assertTrue(answer["available"])
        [kernel] = answer["kernels"]
        self.assertTrue(kernel["name"].startswith("call"), kernel)
        self.assertEqual((kernel["stream"], kernel["us"]), (0, None))
        self.assertEqual(answer["graph_nodes"], 1)
        self.assertEqual(len(self.gpu.log) - len(before), 1)  # the captured call does not run
        self.assertFalse(self.ask("kernels", set=0, profile=True)["available"])

    def test_names_of_what_cannot_be_captured_need_one(self):
        request = self.request(protocol="event")
        request["options"] = {"stream": "default"}
        self.start(RowSums(), request)
        self.assertFalse(self.ask("kernels", set=0, profile=False)["available"])

    def test_a_captured_call_without_work_has_no_nodes(self):
        self.start(Lazy())
        self.assertEqual(self.ask("kernels", set=0)["graph_nodes"], 0)

    def test_nodes_are_counted_for_events_as_well(self):
        self.start(RowSums(), protocol="event")
        self.assertEqual(self.ask("kernels", set=0)["graph_nodes"], 1)

    def test_persisting_lines_that_were_reset_are_remembered(self):
        self.start(RowSums(), cache="cold", flush_bytes=64)
        self.gpu.persisting = 4096
        self.ask("sample", order=[0, 1], poison=[1, 2])
        self.assertEqual(self.gpu.persisting, 0)
        self.assertEqual(self.ask("kernels", set=0)["persisting_l2_bytes"], 4096)


class Refusals(HarnessCase):
    def test_requests_before_hello_and_prepare(self):
        from fake_gpu import FakeGpu
        from harness import Harness
        self.operations = Harness(RowSums(), FakeGpu).operations()
        self.assertIn("hello", self.refuse("prepare", **self.request()))
        self.ask("hello", protocol=1, device=0)
        self.assertIn("no case", self.refuse("run", set=0, poison=1))
        self.assertIn("no case", self.refuse("sample", order=[0], poison=[1]))

    def test_sets_and_poison(self):
        self.start(RowSums())
        self.assertIn("no set 4", self.refuse("run", set=4, poison=1))
        self.assertIn("a set", self.refuse("sample", order=[-1], poison=[1]))
        self.assertIn("byte", self.refuse("sample", order=[0], poison=[256]))
        self.assertIn("as many", self.refuse("sample", order=[0, 1], poison=[1]))
        self.assertIn("as many", self.refuse("sample", order=[], poison=[]))
        self.assertIn("replays", self.refuse("throughput", replays=0))

    def test_names_of_arguments(self):
        self.start(RowSums())
        self.assertIn("'z'", self.refuse("read", set=0, files={"z": str(self.folder / "z")}))
        self.assertIn("'z'", self.refuse("write", set=0, files={"z": str(self.folder / "x0")}))

    def test_a_file_of_the_wrong_size(self):
        self.start(RowSums())
        (self.folder / "short").write_bytes(b"1234")
        self.assertIn("4 bytes", self.refuse("write", set=0, files={"x": str(self.folder / "short")}))

    def test_no_instruments(self):
        self.assertRaises(Exception, self.start, RowSums(), instruments="")

    def test_a_refused_case_leaves_none(self):
        self.start(RowSums())
        self.assertIn("protocol", self.refuse("prepare", **self.request(protocol="guess")))
        self.assertIn("no case", self.refuse("run", set=0, poison=1))


if __name__ == "__main__":
    unittest.main()
