# SPDX-License-Identifier: MIT
"""The pipe to the parent: one JSON request a line, one JSON answer a line (docs/providers.md).

The pipes that were standard input and standard output at the start move to private descriptors at once, before
anything of the user's is loaded; standard output then goes to standard error. What a kernel or a library prints is
therefore never taken for an answer, and what it reads from standard input is never a request.
"""

import json
import os
import traceback

MOST_REQUEST_BYTES = 64 << 20


class Refusal(Exception):
    """An answer that says no: one line for people, and what to do about it."""

    def __init__(self, message, hint="", guard=""):
        super().__init__(message)
        self.hint = hint
        self.guard = guard  # that this is a case of: "contract"


class Channel:
    def __init__(self, requests, answers):
        self._requests = requests
        self._answers = answers
        self._held = b""

    @classmethod
    def take_standard_pipes(cls):
        requests, answers = os.dup(0), os.dup(1)  # neither is inherited by processes that the user's code starts
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        return cls(requests, answers)

    def receive(self):
        """The next request as a dictionary; None when the parent has closed the pipe."""
        while b"\n" not in self._held:
            if len(self._held) > MOST_REQUEST_BYTES:
                raise ValueError("a request of more than 64 MiB")
            piece = os.read(self._requests, 1 << 16)
            if not piece:
                return None
            self._held += piece
        line, self._held = self._held.split(b"\n", 1)
        return json.loads(line)

    def send(self, answer):
        rest = json.dumps(answer).encode() + b"\n"
        while rest:
            rest = rest[os.write(self._answers, rest):]


def one_line(text, most=500):
    """A message for people on one line: the first line that says something."""
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return (lines[0] if lines else "")[:most]


def failure(error):
    """The answer for anything that a request can raise, user code included."""
    if isinstance(error, Refusal):
        answer = {"ok": False, "error": one_line(error), "hint": error.hint}
        return {**answer, "guard": error.guard} if error.guard else answer
    traceback.print_exception(type(error), error, error.__traceback__)  # goes to standard error, for people
    text = one_line(error)
    answer = {"ok": False, "error": f"{type(error).__name__}: {text}" if text else type(error).__name__}
    if "out of memory" in text.lower():
        answer["hint"] = "the device's memory is full: end other programs on it, or take a smaller shape"
    return answer


def serve(channel, operations):
    """Answers requests with operations[op](request) until `quit` or the end of the pipe."""
    while True:
        try:
            request = channel.receive()
        except ValueError as error:
            channel.send({"id": None, "ok": False, "error": f"this is no request: {one_line(error)}"})
            return 1
        if request is None:
            return 0
        if not isinstance(request, dict) or "op" not in request or "id" not in request:
            channel.send({"id": None, "ok": False, "error": "a request needs \"op\" and \"id\""})
            continue
        operation = request["op"]
        try:
            if operation == "quit":
                answer = {}
            elif operation in operations:
                answer = operations[operation](request)
            else:
                raise Refusal(f"unknown request '{operation}'", "expected one of " + ", ".join([*operations, "quit"]))
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # a user's sys.exit() is an answer as well
            answer = failure(error)
        channel.send({"id": request["id"], "ok": True, **answer})
        if operation == "quit":
            return 0
