# SPDX-License-Identifier: MIT
"""One provider of the warm pool: python3 -I -S warm_start.py NAME PYTHON PROVIDER ...

Hands its standard streams to the pool behind the abstract socket NAME, which forks the provider, and lives as long as
the provider does: whoever ends this process ends the provider. Where the pool is gone, this process becomes a fresh
provider itself, which only takes longer to start.
"""

import json
import os
import resource
import signal
import socket
import struct
import sys


def become_fresh(words):
    os.write(2, b"assay: the warm pool is gone, this provider starts afresh\n")
    os.execvp(words[0], words)


def main(name, words):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    request = {"arguments": words[1:], "folder": os.getcwd(), "data_limit": resource.getrlimit(resource.RLIMIT_DATA)}
    try:
        connection.connect("\0" + name)
        socket.send_fds(connection, [json.dumps(request).encode() + b"\n"], [0, 1, 2])
        started = connection.recv(1)
    except OSError:
        started = b""
    if not started:  # nobody has read anything of ours yet
        become_fresh(words)
    # What comes in is the provider's from now on. The outputs stay open here: whoever reads them sees their end when this
    # process ends, which then tells how the provider did.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    try:
        answer = connection.recv(4)
    except OSError:
        answer = b""
    if len(answer) != 4:
        os.write(2, b"assay: the warm pool ended, and this provider with it\n")
        return 1
    (status,) = struct.unpack("<i", answer)
    if os.WIFSIGNALED(status):  # end as it did
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.kill(os.getpid(), os.WTERMSIG(status))
    return os.WEXITSTATUS(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
