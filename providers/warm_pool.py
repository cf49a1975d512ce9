# SPDX-License-Identifier: MIT
"""Starts providers without importing PyTorch again: python3 warm_pool.py NAME MODULE ...

This process imports the modules once and touches no GPU: what CUDA keeps does not survive a fork. It listens on the
abstract socket NAME. warm_start.py connects for each provider, hands over its standard streams, and stays for as long
as the provider lives. Between this process and each provider stands a keeper, which adopts whatever the provider leaves
behind and ends it, with the provider or when warm_start.py is gone.

  warm_pool --- keeper --- provider --- whatever the provider starts
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import runpy
import select
import signal
import socket
import struct
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
MOST_REQUEST_BYTES = 1 << 20
STARTED = b"s"

prctl = ctypes.CDLL(None).prctl


def children_of(pid):
    """All processes whose parent this is."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(entry))
        except (OSError, IndexError, ValueError):
            pass  # it has just ended
    return found


def become_provider(request, streams):
    """Never returns."""
    status = 1
    try:
        os.setpgid(0, 0)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
        os.closerange(3, max(streams) + 1)
        resource.setrlimit(resource.RLIMIT_DATA, tuple(request["data_limit"]))
        os.chdir(request["folder"])
        sys.argv = request["arguments"]
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status & 0xff)


def keep(connection, request, streams):
    """The provider, until it ends or nobody wants it any more; then all that it has started. Never returns."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # not the pool's, which waits for any child
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    own = os.getpid()
    connection.sendall(STARTED)
    provider = os.fork()
    if provider == 0:
        connection.close()
        become_provider(request, streams)
    for stream in streams:
        os.close(stream)
    descriptor = os.pidfd_open(provider)
    ready, _, _ = select.select([descriptor, connection], [], [])
    if descriptor not in ready:  # warm_start.py was ended
        os.kill(provider, signal.SIGKILL)
    _, status = os.waitpid(provider, 0)
    left = children_of(own)
    while left:
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        for pid in left:
            os.waitpid(pid, 0)
        left = children_of(own)  # what they had started is ours now
    try:
        connection.sendall(struct.pack("<i", status))
    except OSError:
        pass
    os._exit(0)


def receive(connection):
    """The request and the three streams that came with it."""
    held, streams = b"", []
    while not held.endswith(b"\n"):
        piece, more, _, _ = socket.recv_fds(connection, 1 << 16, 3)
        streams += more
        held += piece
        if not piece or len(held) > MOST_REQUEST_BYTES:
            raise ValueError("an unfinished request")
    if len(streams) != 3:
        raise ValueError(f"{len(streams)} streams")
    return json.loads(held), streams


def from_us(connection):
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return user == os.getuid()


def serve(listener):
    while True:
        ready, _, _ = select.select([listener, 0], [], [])
        if 0 in ready and not os.read(0, 1 << 12):
            return  # the program that started us has ended, or needs no more
        if listener not in ready:
            continue
        connection, _ = listener.accept()
        streams = []
        try:
            if not from_us(connection):
                continue
            connection.settimeout(10)
            request, streams = receive(connection)
            connection.settimeout(None)
            sys.stdout.flush()
            sys.stderr.flush()
            if os.fork() == 0:
                listener.close()
                keep(connection, request, streams)
        except (OSError, ValueError, KeyError) as error:
            print(f"warm pool: {error}", file=sys.stderr)
        finally:
            connection.close()
            for stream in streams:
                os.close(stream)


@contextlib.contextmanager
def gpu_taken_for_granted():
    """Modules that ask PyTorch for a GPU while they are imported are answered without CUDA, which no fork survives."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None:
        yield
        return
    asked = cuda.is_available, cuda.device_count
    cuda.is_available, cuda.device_count = (lambda: True), (lambda: 1)
    try:
        yield
    finally:
        cuda.is_available, cuda.device_count = asked


def forks_can_use_cuda():
    torch = sys.modules.get("torch")
    if torch is None:
        return True
    probe = os.fork()
    if probe == 0:
        os._exit(1 if torch.cuda._is_in_bad_fork() else 0)
    return os.waitpid(probe, 0)[1] == 0


def main(name, modules):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind("\0" + name)
    listener.listen(64)
    print("listening", flush=True)  # those who come while we import wait
    os.environ["TORCH_WARM_POOL"] = "0"  # the processes in which torch.compile compiles: the provider's to start
    for module in modules:
        with gpu_taken_for_granted():
            importlib.import_module(module)  # PyTorch's, or one of those beside this file
    if not forks_can_use_cuda():
        sys.exit("importing " + " ".join(modules) + " has touched the GPU, which no fork can use then")
    gc.collect()
    gc.freeze()  # what is shared with the forks stays shared
    # Keepers that have ended are nobody's concern.
    signal.signal(signal.SIGCHLD, lambda *_: reap())
    serve(listener)


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] > 0:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
