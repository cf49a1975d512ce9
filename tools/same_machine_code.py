# SPDX-License-Identifier: MIT
"""Shows that two revisions of the attention kernels are the same machine code.

  python3 tools/same_machine_code.py OLD [NEW] [--source FILE.cu ...]     # revisions; NEW: the working tree if not given

Compiles every source of both for the GPUs that the library is for, and compares the cubins kernel by kernel: instructions,
constants, and what the driver is told of registers, shared memory and parameters. Exits with 1 where something differs.
Needs nvcc (NVCC=nvcc).
"""

import argparse
import hashlib
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIBRARY = "kernels/attention/library"
SOURCES = {"kernels/attention/hopper/launch.cu": ["90a"],
           **{f"{LIBRARY}/warp_d{dim}.cu": ["80", "90a"] for dim in (64, 128, 192, 256)},
           **{f"{LIBRARY}/serving_tiles_d{dim}.cu": ["80", "90a"] for dim in (64, 128, 192, 256)},
           **{f"{LIBRARY}/{kernel}_d{dim}.cu": ["90a"] for kernel in ("split", "serving_split", "serving_streaming")
              for dim in (64, 128, 256)}}
FLAGS = ["-std=c++20", "-O3", "--expt-relaxed-constexpr", "-cubin"]
COMPARED = (".text.", ".nv.constant", ".nv.info.", ".nv.shared.", ".nv.global")


def sections(cubin):
    """Name and bytes of the sections that say what a kernel does, of an ELF file of 64 bits."""
    if cubin[:5] != b"\x7fELF\x02":
        raise SystemExit("same_machine_code: a cubin is no 64-bit ELF file")
    table, = struct.unpack_from("<Q", cubin, 40)
    size, count, names_index = struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, table + i * size) for i in range(count)]
    names = headers[names_index][4]
    found = {}
    for name_offset, kind, _, _, offset, length, _, info, *_ in headers:
        name = cubin[names + name_offset:cubin.index(b"\0", names + name_offset)].decode()
        if name.startswith(COMPARED):
            empty = kind == 8  # SHT_NOBITS: memory without content
            content = struct.pack("<Q", length) if empty else cubin[offset:offset + length]
            found[name] = bytes([info >> 24]) + content  # of a kernel: its registers
    return found


def without_indices(name, data):
    """.nv.info refers to symbols and offsets by number; what counts of it is that the resources are the same."""
    return data if not name.startswith(".nv.info.") else struct.pack("<Q", len(data))


def compile_all(folder, sources):
    """(source, architecture) -> sections of its cubin."""
    compiled, nvcc = {}, os.environ.get("NVCC", "nvcc")
    with tempfile.TemporaryDirectory() as scratch:
        for source, architectures in sources.items():
            if not (folder / source).is_file():
                continue
            for architecture in architectures:
                target = pathlib.Path(scratch) / "kernels.cubin"
                subprocess.run([nvcc, *FLAGS, f"-gencode=arch=compute_{architecture},code=sm_{architecture}", "-o", str(target), source],
                               cwd=folder, check=True)
                compiled[source, architecture] = sections(target.read_bytes())
    return compiled


def of_revision(revision, sources):
    if revision is None:
        return compile_all(ROOT, sources)
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", revision, "kernels"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        return compile_all(pathlib.Path(folder), sources)


def differences(old, new):
    """What is not the same, a line each."""
    for key in sorted(old.keys() | new.keys()):
        title = f"{key[0]} (sm_{key[1]})"
        if key not in old or key not in new:
            yield f"{title}: only in one of the two"
            continue
        for name in sorted(old[key].keys() | new[key].keys()):
            if name not in old[key] or name not in new[key]:
                yield f"{title}: {name} is only in one of the two"
            elif without_indices(name, old[key][name]) != without_indices(name, new[key][name]):
                yield f"{title}: {name} differs"


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--source", action="append", help="only this one")
    options = parser.parse_args(words)
    sources = {name: SOURCES.get(name, ["90a"]) for name in options.source} if options.source else SOURCES
    old, new = of_revision(options.old, sources), of_revision(options.new, sources)
    found = list(differences(old, new))
    for line in found:
        print(line)
    kernels = sum(name.startswith(".text.") for compiled in new.values() for name in compiled)
    code = hashlib.sha256(b"".join(data for key in sorted(new) for name, data in sorted(new[key].items())
                                   if name.startswith(".text."))).hexdigest()
    print(f"{kernels} kernels, {len(found)} differences, instructions {code[:16]}")
    if found or kernels == 0:
        raise SystemExit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
