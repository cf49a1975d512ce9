# SPDX-License-Identifier: MIT
"""Problems for the fake device: y = row sums of x, honest and not."""

import struct

CALL_US = 12.5


def row_sums(x, rows, columns):
    values = struct.unpack(f"<{rows * columns}f", bytes(x))
    return struct.pack(f"<{rows}f", *(sum(values[r * columns:(r + 1) * columns]) for r in range(rows)))


class RowSums:
    """Writes into the output that it is given."""
    name = "row_sums"

    def versions(self, gpu):
        return {"row_sums": "1"}

    def prepare(self, case, gpu, sets):
        self.gpu, self.sets, self.case = gpu, sets, case
        self.calls = 0
        return "row sums, one by one"

    def result(self, number):
        rows, columns = self.case.tensors["x"].shape
        return row_sums(self.sets[number].buffers["x"].flat, rows, columns)

    def call(self, number):
        def write():
            self.calls += 1
            self.sets[number].buffers["y"].flat[:] = self.result(number)
        self.gpu.work(f"call {number}", write, CALL_US)


class ReturnedRowSums(RowSums):
    """Allocates its output and returns it."""

    def call(self, number):
        returned = bytearray(self.case.tensors["y"].bytes)

        def write():
            returned[:] = self.result(number)
        self.gpu.work(f"call {number}", write, CALL_US)
        return {"y": returned}


class Spacious(RowSums):
    """Keeps memory from `prepare` on, and takes more within each call."""
    KEPT, WITHIN = 100, 1000

    def prepare(self, case, gpu, sets):
        gpu._take(self.KEPT)
        return super().prepare(case, gpu, sets)

    def call(self, number):
        self.gpu.workspace(self.WITHIN)
        super().call(number)


class Lazy(RowSums):
    """Does nothing from the third call of a set on; poison must show that."""

    def prepare(self, case, gpu, sets):
        self.seen = {}
        return super().prepare(case, gpu, sets)

    def call(self, number):
        self.seen[number] = self.seen.get(number, 0) + 1
        if self.seen[number] <= 2:
            super().call(number)


class Accumulating(RowSums):
    """y += row sums: an inout argument."""

    def result(self, number):
        rows, _ = self.case.tensors["x"].shape
        old = struct.unpack(f"<{rows}f", bytes(self.sets[number].buffers["y"].flat))
        new = struct.unpack(f"<{rows}f", super().result(number))
        return struct.pack(f"<{rows}f", *(a + b for a, b in zip(old, new)))


class Leaving(RowSums):
    """Ends the process's main function from inside a call."""

    def call(self, number):
        raise SystemExit(3)


class Chatty(RowSums):
    """Prints what looks like an answer, and reads standard input."""

    def call(self, number):
        import os
        import sys
        print('{"id": 1, "ok": true, "us": [0.001]}', flush=True)
        os.write(1, b"rubbish\n")
        assert sys.stdin.read() == ""
        super().call(number)


PROBLEMS = {"honest": RowSums, "returned": ReturnedRowSums, "lazy": Lazy, "accumulating": Accumulating,
            "leaving": Leaving, "chatty": Chatty}
