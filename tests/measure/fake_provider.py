# SPDX-License-Identifier: MIT
"""A provider without a GPU for the tests of the parent: row sums of x in y (float32), or the layer norm if there is a
weight; times that are made up, and on demand every way to lie, hang, crash or print rubbish.

  python3 fake_provider.py [--behave NAME] [--at OP] [--after N] [--us 20] [--noise 0.01] [--seed 1] [--seconds 60]
                           [--marker FILE] [--neighbour N] [--device-bytes JSON]

--at: the request at which a behaviour of the first table shows (default sample); --after: only from its Nth time on (0
is the first). --us and --noise: least value and relative deviation of the times. --seconds: how long `late` and `hang`
wait. --marker: made by the first process, by which the others know that they are not the first.
--device-bytes: what `prepare` says of the memory of a call, as JSON; nothing by default.
--neighbour: from the Nth timed call of the first process on, and in all others, calls take up to three times as long.
"""

import argparse
import array
import fcntl
import json
import os
import random
import signal
import struct
import sys
import time

# Of the pipe: what happens instead of, before or after the answer to the request --at.
PIPE = {
    "hang": "no answer",
    "late": "the answer after --seconds",
    "crash": "ends by a signal",
    "exit": "ends with status 0 and without an answer",
    "rubbish": "a line that is no JSON, instead of the answer",
    "binary": "a line of bytes that are no text, with what moves a terminal's cursor",
    "breaks_contract": "\"ok\": false, the guard contract and an error",
    "no_ok": "the answer without \"ok\"",
    "number": "a line that is JSON but no object",
    "chatter": "a line of text before the answer",
    "twice": "the answer two times",
    "wrong_id": "the answer with another id",
    "no_id": "the answer without an id",
    "error": "\"ok\": false with an error",
    "partial": "half a line, then nothing",
    "huge": "a line of 80 million characters that does not end",
    "empty": "\"ok\": true and no fields",
    "wrong_types": "fields of the wrong type",
    "closes_pipe": "closes the pipe and stays alive",
}
# Of the figures and the results.
CLAIMS = {
    "honest": "none of this",
    "jitter": "honest too: the last bit of the first result differs from call to call",
    "tunes_itself": "honest too: the last bit of the first result is another one in every process but the first",
    "wrong_later_on": "results that are wrong in every process but the first",
    "open_gate": "honest too: a gate opens before all is enqueued, once, and it says so",
    "no_gate": "honest too: says nothing of gates",
    "negative": "a time below zero among the samples",
    "zero": "a time of zero among the samples",
    "tiny": "times of a hundredth of a nanosecond",
    "nan": "NaN among the samples, which is no JSON",
    "null": "null among the samples",
    "infinite": "1e999 among the samples",
    "too_few": "one sample less than was asked for",
    "too_many": "one sample more",
    "over_wall": "samples of ten seconds each",
    "hidden_time": "samples of 1 us although the request takes much longer, for throughput too",
    "no_host_time": "a host_us of zero",
    "wrong_output": "results that are wrong by 1 %",
    "nan_output": "NaN as the last result",
    "later_wrong": "results that are wrong from the --after-th timed call on",
    "wrong_when_timed": "results that are right in run and wrong in sample",
    "unwritten": "the last element is never written",
    "unwritten_when_timed": "nothing is written by timed calls",
    "only_when_poison_165": "computes only if it finds the poison 165",
    "changes_input": "sets the first element of x to zero",
    "ignores_input": "the results are those of the first set",
    "ignores_weight": "the weight of a layer norm counts as one",
    "ignores_weight_jitter": "that, and the jitter",
    "hides_wrong": "results of timed calls are wrong, their fingerprints those of right ones",
    "hides_wrong_row": "the same in the last row alone",
    "poison_seen_before": "computes only if it finds the poison of an untimed call",
    "stale_jitter": "ignores what write brings, and the jitter",
    "bad_fingerprint": "one fingerprint has 15 digits",
    "too_few_fingerprints": "one fingerprint less than samples",
    "stale": "ignores what write brings",
    "fresh_slow": "takes five times as long for contents that it did not see in this place the last time",
    "fresh_slow_at_times": "that, and for known ones in three of ten calls, so as to look noisy",
    "slow_from_then_on": "takes five times as long for everything once contents change",
    "wrong_fingerprint": "fingerprints that do not belong to the results",
    "rough": "results cut to 10 bits of mantissa",
    "short_file": "read writes half a file",
    "no_file": "read writes no file",
    "other_stream": "kernels lists work on another stream",
    "library": "kernels lists a kernel of a library",
    "no_kernels": "kernels lists none",
    "no_nodes": "kernels counts no node",
    "two_nodes": "kernels counts two nodes and two kernels, which is honest",
    "more_nodes": "kernels counts three nodes and one kernel",
    "nameless_stream": "kernels lists a kernel whose stream cannot be told",
    "no_profiler_no_nodes": "kernels is not available, and no node is counted",
    "threads": "kernels counts one thread more than before",
    "no_profiler": "kernels is not available",
    "persisting": "kernels finds 32 MiB set aside for persisting lines",
    "placed": "takes a tenth longer where an odd number of pieces lies before its memory",
    "alone": "honest too: cannot prepare while another process of it, by --marker, is prepared",
    "grows": "honest too: needs more at the second time, for which no other process may be there",
    "throttled": "half of the samples are throttled",
    "all_throttled": "all of the samples are throttled",
}


def fingerprint(contents):
    padded = bytes(contents) + b"\0" * (-len(contents) % 4)
    return sum(word * (2 * j + 1) for j, word in enumerate(struct.unpack(f"<{len(padded) // 4}I", padded))) % 2**64


def row_sums(x, rows):
    values = array.array("f")
    values.frombytes(bytes(x))
    columns = len(values) // rows
    return [sum(values[row * columns:(row + 1) * columns]) for row in range(rows)]


def layer_norm(x, rows, weight, bias):
    values = array.array("f")
    values.frombytes(bytes(x))
    columns = len(values) // rows
    result = []
    for row in range(rows):
        part = values[row * columns:(row + 1) * columns]
        mean = sum(part) / columns
        deviation = (sum((value - mean) ** 2 for value in part) / columns + 1e-5) ** 0.5
        result += [(value - mean) / deviation * w + b for value, w, b in zip(part, weight, bias)]
    return result


class Provider:
    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.sets = []
        self.timed = 0
        self.called = 0
        self.known = {}  # what lay in a set at the last call
        self.changed = False  # contents did, since they were known
        self.held = None
        self.prints = []  # of right results, by set
        self.later = os.path.exists(options.marker)  # another process was here
        if options.marker and not self.later:
            open(options.marker, "w", encoding="utf-8").close()

    def is_(self, *names):
        return self.options.behave in names

    def hello(self, request):
        return {"name": "fake", "versions": {"fake": "1.0"}, "device": "no GPU", "note": ""}

    def make_room(self):
        """As on a device whose memory is full. Locks end with their process."""
        if self.held is None:
            self.held = open(self.options.marker + ".lock", "w", encoding="utf-8")
            wanted = fcntl.LOCK_EX if self.is_("alone") else fcntl.LOCK_SH
        else:
            wanted = fcntl.LOCK_EX
        try:
            fcntl.flock(self.held, wanted | fcntl.LOCK_NB)
        except OSError:
            raise ValueError("the fake device is out of memory") from None

    def prepare(self, request):
        if self.is_("alone", "grows"):
            self.make_room()
        sizes = {entry["name"]: entry for entry in request["arguments"] if entry["role"] != "scalar"}
        self.count = sizes["y"]["bytes"] // 4
        self.rows = sizes["x"]["shape"][0]
        self.sets = []
        self.calls = request.get("timing", {}).get("calls", 20)
        self.delay_us = request.get("timing", {}).get("delay_cycles", 0) / 2000.0
        # The parent draws the place: two processes with the same seed have noise of their own.
        self.random = random.Random(self.options.seed + 1000 * request.get("timing", {}).get("placement", 0))
        self.placed_oddly = request.get("timing", {}).get("placement", 0) % 2 == 1
        for files in request["sets"]:
            own = {"y": bytearray(sizes["y"]["bytes"])}
            for name, path in files.items():
                with open(path, "rb") as file:
                    own[name] = bytearray(file.read())
            self.sets.append(own)
        self.prints = [None] * len(self.sets)
        self.known, self.changed = {}, False
        answer = {"variant": "row sums in Python"}
        if self.options.device_bytes:
            answer["device_bytes"] = json.loads(self.options.device_bytes)
        return answer

    def results(self, own):
        if "weight" not in own:
            return row_sums(own["x"], self.rows)
        columns = len(own["weight"]) // 4
        weight, bias = struct.unpack(f"<{columns}f", own["weight"]), struct.unpack(f"<{columns}f", own["bias"])
        if self.is_("ignores_weight", "ignores_weight_jitter"):
            weight = [1.0] * columns
        return layer_norm(own["x"], self.rows, weight, bias)

    def call(self, number, poison, timed):
        own = self.sets[number]
        own["y"][:] = bytes([poison]) * len(own["y"])
        if (timed and self.is_("unwritten_when_timed")) or (self.is_("only_when_poison_165") and poison != 165):
            return
        if self.is_("poison_seen_before") and poison not in (0xff, 0xa5, 0x3c):
            return
        self.timed += timed
        self.called += 1
        source = self.sets[0] if self.is_("ignores_input") else own
        sums = self.results(source)
        wrong = self.is_("wrong_output") or (self.is_("wrong_later_on") and self.later) or (self.is_("later_wrong") and timed and self.timed > self.options.after)
        if self.is_("hides_wrong", "hides_wrong_row"):
            self.prints[number] = fingerprint(struct.pack(f"<{self.count}f", *sums))
        if wrong or (timed and self.is_("wrong_when_timed", "hides_wrong")):
            sums = [value * 1.01 + 0.01 for value in sums]
        if timed and self.is_("hides_wrong_row"):
            sums[-1] += 1
        if self.is_("nan_output"):
            sums[-1] = float("nan")
        result = bytearray(struct.pack(f"<{self.count}f", *sums))
        if self.is_("jitter", "ignores_weight_jitter", "stale_jitter"):
            result[0] = result[0] & 0xfe | self.called & 1
        if self.is_("tunes_itself") and self.later:
            result[0] ^= 1
        if self.is_("rough"):
            for at in range(0, len(result), 4):
                result[at:at + 2] = bytes([0, result[at + 1] & 0xe0])
        if self.is_("unwritten"):
            result[-4:] = own["y"][-4:]
        if self.is_("changes_input"):
            own["x"][:4] = bytes(4)
        own["y"][:] = result

    def run(self, request):
        self.call(request["set"], request["poison"], False)
        return {}

    def read(self, request):
        for name, path in request["files"].items():
            if self.is_("no_file"):
                continue
            contents = self.sets[request["set"]][name]
            with open(path, "wb") as file:
                file.write(contents[:len(contents) // 2] if self.is_("short_file") else contents)
        return {}

    def write(self, request):
        for name, path in request["files"].items():
            if not self.is_("stale", "stale_jitter"):
                with open(path, "rb") as file:
                    self.sets[request["set"]][name][:] = file.read()
        return {}

    def time(self, number=None):
        us = self.options.us * (1.0 + self.options.noise * abs(self.random.gauss(0.0, 1.0))) + self.delay_us
        if self.is_("placed") and self.placed_oddly:
            us *= 1.1
        if self.options.neighbour and (self.later or self.timed > self.options.neighbour):
            us *= 1 + 2 * self.random.random()
        if number is None:
            return us
        contents = b"".join(bytes(self.sets[number][name]) for name in sorted(self.sets[number]) if name != "y")
        fresh = self.known.get(number) != contents
        self.changed |= fresh and number in self.known
        self.known[number] = contents
        slow_at_times = self.is_("fresh_slow_at_times") and self.random.random() < 0.3
        if (self.is_("fresh_slow", "fresh_slow_at_times") and fresh) or slow_at_times:
            us *= 5
        return us * 5 if self.is_("slow_from_then_on") and self.changed else us

    def sample(self, request):
        order, poison = request["order"], request["poison"]
        begin = time.perf_counter()
        us, prints = [], []
        for number, byte in zip(order, poison):
            self.call(number, byte, True)
            us.append(self.time(number))
            print_ = self.prints[number] if self.is_("hides_wrong", "hides_wrong_row") else fingerprint(self.sets[number]["y"])
            prints.append(f"{print_ + self.is_('wrong_fingerprint'):016x}")
        time.sleep(sum(us) * (1e-6 if sum(us) < 1e6 else 0))  # what is claimed has passed
        if self.is_("hidden_time"):
            time.sleep(0.05)
            us = [1.0] * len(us)
        host_us = (time.perf_counter() - begin) * 1e6
        us, count = self.claimed(us), len(order)
        if self.is_("bad_fingerprint"):
            prints[-1] = prints[-1][1:]
        if self.is_("too_few_fingerprints"):
            prints.pop()
        throttled = [self.is_("all_throttled") or (self.is_("throttled") and index % 2 == 0) for index in range(count)]
        self.batches = getattr(self, "batches", 0) + 1
        ungated = count if self.is_("open_gate") and self.batches == 3 else 0  # once; later ones hold
        answer = {"us": us, "fingerprints": prints, "clock_mhz": [1980] * count, "throttled": throttled,
                  "gate": {"cycles": 250000, "retaken": 0, "ungated": ungated},
                  "host_us": 0.0 if self.is_("no_host_time") else host_us}
        if self.is_("no_gate"):
            del answer["gate"]
        return answer

    def claimed(self, us):
        replaced = {"negative": -3.0, "zero": 0.0, "nan": float("nan"), "null": None, "infinite": float("inf")}
        if self.options.behave in replaced:
            us[len(us) // 2] = replaced[self.options.behave]
        if self.is_("tiny"):
            us = [1e-5] * len(us)
        if self.is_("over_wall"):
            us = [1e7] * len(us)
        return us[:-1] if self.is_("too_few") else us + us[:1] if self.is_("too_many") else us

    def throughput(self, request):
        us = [self.time() for _ in range(request["replays"])]
        time.sleep((self.time() + sum(us)) * self.calls * 1e-6)  # one goes before them
        return {"us": self.claimed([1.0] * len(us) if self.is_("hidden_time") else us)}

    def kernels(self, request):
        kernels = [] if self.is_("no_kernels") else [{"name": "row_sum", "stream": 0, "us": self.options.us}]
        if not request.get("profile", True):  # of a captured call, as the linker calls it
            kernels = [{"name": "_Z7row_sumPf", "stream": 0, "us": None}]
        nodes = 0 if self.is_("no_nodes", "no_profiler_no_nodes") else 3 if self.is_("more_nodes") else 1
        if self.is_("nameless_stream"):
            kernels[0]["stream"] = -1
        if self.is_("other_stream"):
            kernels.append({"name": "row_sum_rest", "stream": 7, "us": 50.0})
        if self.is_("two_nodes"):
            kernels.append({"name": "row_sum_second", "stream": 0, "us": 5.0})
            nodes = 2
        if self.is_("library"):
            kernels = [{"name": "void cublasLt::gemvNSP_kernel<float>", "stream": 0, "us": 5.0}]
        available = not self.is_("no_profiler", "no_profiler_no_nodes") or not request.get("profile", True)
        reason = "" if available else "no profiler in this test"
        return {"available": available, "reason": reason, "kernels": kernels if available else [], "graph_nodes": nodes,
                "threads_before": 1, "threads_after": 2 if self.is_("threads") else 1,
                "persisting_l2_bytes": 32 << 20 if self.is_("persisting") else 0}


WRONG_TYPES = {"us": "fast", "fingerprints": 7, "clock_mhz": {}, "throttled": "no", "host_us": [], "variant": 5,
               "kernels": True, "name": [], "versions": "1"}


class Pipe:
    def __init__(self, options):
        self.options = options
        self.seen = 0
        self.file = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)

    def write(self, text):
        rest = text if isinstance(text, bytes) else text.encode()
        while rest:
            rest = rest[self.file.write(rest):]

    def misbehaves(self, op):
        if self.options.behave not in PIPE or op != self.options.at:
            return False
        self.seen += 1
        return self.seen > self.options.after

    def answer(self, op, answer):
        line = json.dumps(answer).replace("Infinity", "1e999") + "\n"
        if not self.misbehaves(op):
            self.write(line)
            return
        name = self.options.behave
        if name == "hang":
            time.sleep(self.options.seconds)
        elif name == "late":
            time.sleep(self.options.seconds)
            self.write(line)
        elif name == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif name == "exit":
            os._exit(0)
        elif name == "closes_pipe":
            self.file.close()
            time.sleep(self.options.seconds)
            os._exit(0)
        elif name == "partial":
            self.write(line[:len(line) // 2])
            time.sleep(self.options.seconds)
        elif name == "huge":
            for _ in range(80):
                self.write("x" * 1_000_000)
            time.sleep(self.options.seconds)
        else:
            self.write(self.text(name, line, answer))

    @staticmethod
    def text(name, line, answer):
        if name == "rubbish":
            return "CUDA warning: something { happened\n"
        if name == "binary":
            return b"\xff\xfe\x1b[2J\x07 rubbish \xc3\n"
        if name == "no_ok":
            return json.dumps({key: value for key, value in answer.items() if key != "ok"}) + "\n"
        if name == "breaks_contract":
            return json.dumps({"id": answer["id"], "ok": False, "guard": "contract",
                               "error": "the function returned a tensor"}) + "\n"
        if name == "number":
            return "42\n"
        if name == "chatter":
            return "loading the kernel ...\n" + line
        if name == "twice":
            return line + line
        if name == "wrong_id":
            return json.dumps({**answer, "id": answer["id"] + 1}) + "\n"
        if name == "no_id":
            return json.dumps({key: value for key, value in answer.items() if key != "id"}) + "\n"
        if name == "error":
            return json.dumps({"id": answer["id"], "ok": False, "error": "the fake device is on fire",
                               "hint": "bring water"}) + "\n"
        if name == "empty":
            return json.dumps({"id": answer["id"], "ok": True}) + "\n"
        return json.dumps({key: WRONG_TYPES.get(key, value) for key, value in answer.items()}) + "\n"  # wrong_types


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--behave", default="honest", choices=[*CLAIMS, *PIPE])
    parser.add_argument("--at", default="sample")
    parser.add_argument("--after", type=int, default=0)
    parser.add_argument("--us", type=float, default=20.0)
    parser.add_argument("--noise", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--marker", default="")
    parser.add_argument("--neighbour", type=int, default=0)
    parser.add_argument("--device-bytes", default="")
    options = parser.parse_args()
    provider, pipe = Provider(options), Pipe(options)
    for line in sys.stdin:
        request = json.loads(line)
        op = request["op"]
        try:
            fields = {} if op == "quit" else getattr(provider, op)(request)
            pipe.answer(op, {"id": request["id"], "ok": True, **fields})
        except (AttributeError, LookupError, OSError, ValueError) as error:
            pipe.answer(op, {"id": request["id"], "ok": False, "error": f"{type(error).__name__}: {error}"})
        if op == "quit":
            return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
