#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs compute-sanitizer's four tools on the planted and clean kernels of tests/vgpu/observe, on a GPU.

    tests/gpu/compute_sanitizer_table.py [--jobs N] [--seconds S] [--out FILE] [--only TEXT] [--assay PROGRAM]

All of them take about four minutes at five at a time. What a tool said of a kernel is appended to FILE.jsonl at once;
run again, it goes on with what is missing. After S seconds nothing more is begun and the table has what there is, the
newest kernels first. With --assay the kernels of kernels/broken run as well, under that program (a build of this
tree), which knows how to call them.

Writes a Markdown table: for every planted kernel what Assay finds (its kind is in the kernel's name; tests/vgpu holds
it to that) and what each tool says; which clean kernels a tool complains of; how long the tools took. Needs nvcc and
compute-sanitizer (CUDA 13) and a GPU of compute capability 9.0. Kernels that hang are ended after a while.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/vgpu/observe"
SOURCES = [FOLDER / name for name in ("planted/contents.cu", "planted/phases.cu", "planted/protocols.cu",
                                      "planted/asynchronous.cu", "planted/mbarriers.cu", "planted/memory.cu",
                                      "races/races.cu")]
BROKEN = ROOT / "kernels/broken"
TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
LIMIT_S = 15  # of one kernel under one tool
ERROR_EXIT = 77  # what compute-sanitizer exits with if it has found something

LAUNCHER = """
#include "{source}"
#include <cstdio>
#include <cstring>
struct Entry {{ const char* name; const void* kernel; int threads; bool cooperative; }};
static const Entry entries[] = {{
{entries}
}};
int main(int, char** words) {{
  for (const Entry& entry : entries) {{
    if (std::strcmp(entry.name, words[1]) != 0) continue;
    constexpr size_t kBytes = 65536 * sizeof(unsigned);
    unsigned *data = nullptr, *fresh = nullptr;
    if (cudaMalloc(&data, kBytes) != cudaSuccess || cudaMalloc(&fresh, kBytes) != cudaSuccess) return 2;
    cudaMemset(data, 0, kBytes);
    void* arguments[] = {{&data, &fresh}};
    const cudaError_t launched =
        entry.cooperative ? cudaLaunchCooperativeKernel(entry.kernel, dim3(8), dim3(entry.threads), arguments, 0, 0)
                          : cudaLaunchKernel(entry.kernel, dim3(8), dim3(entry.threads), arguments, 0, 0);
    const cudaError_t ended = cudaDeviceSynchronize();
    std::printf("launch: %s; end: %s\\n", cudaGetErrorString(launched), cudaGetErrorString(ended));
    cudaFree(data);
    cudaFree(fresh);
    return launched == cudaSuccess && ended == cudaSuccess ? 0 : 1;
  }}
  return 2;
}}
"""


def entries_of(source):
    """(name, threads) of the kernels, from the PTX beside the source."""
    text = source.with_suffix(".ptx").read_text()
    found = re.findall(r"\.visible \.entry (\w+)\([^)]*\)\s*(?:\.maxntid (\d+))?", text)
    return [(name, int(threads or 128)) for name, threads in found]


def build(source, folder):
    entries = entries_of(source)
    lines = [
        f'  {{"{name}", (const void*){name}, {threads}, {"true" if "grid_sync" in name or "two_phases" in name else "false"}}},'
        for name, threads in entries
    ]
    launcher = folder / f"{source.stem}_launcher.cu"
    launcher.write_text(LAUNCHER.format(source=source, entries="\n".join(lines)))
    program = folder / source.stem
    subprocess.run(["nvcc", "-gencode", "arch=compute_90a,code=sm_90a", "-std=c++17", "-lineinfo", "-o", program, launcher], check=True)
    return program, [name for name, _ in entries]


def run(command):
    """(exit status or None if it was ended, seconds, output)."""
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S, text=True)
        return done.returncode, time.monotonic() - start, done.stdout
    except subprocess.TimeoutExpired:
        return None, time.monotonic() - start, ""


def tool_says(tool, program, name):
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(ERROR_EXIT)]
    if tool == "memcheck":
        command += ["--leak-check", "full"]
    status, seconds, output = run([*command, program, name])
    if status is None:
        return "hangs", seconds
    if status == ERROR_EXIT:
        counts = re.findall(r"(\d+) (?:errors?|hazards?)", output)
        return f"found ({counts[-1] if counts else '?'})", seconds
    if status != 0:
        return "kernel failed", seconds
    return "-", seconds


def folder_says(assay, tool, folder):
    """What a tool says of a kernel folder: Assay makes the inputs and calls the kernel under it. The seconds are of the
    whole command, which compiles the kernel and runs it on the virtual GPU first."""
    start = time.monotonic()
    try:
        done = subprocess.run([assay, "sanitize", folder, "--with", "compute-sanitizer", "--tool", tool, "--json",
                               "--time-limit", str(LIMIT_S)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=4 * LIMIT_S, text=True)
        answer = json.loads(done.stdout)["compute_sanitizer"]
    except subprocess.TimeoutExpired:
        return "hangs", time.monotonic() - start
    except (ValueError, KeyError, TypeError):
        return "not run: " + " ".join(done.stderr.split())[:120].replace("|", "/"), time.monotonic() - start
    seconds = time.monotonic() - start
    if answer["verdict"] == "not run":
        reason = answer["reason"]
        return "hangs" if "did not end within" in reason else "not run: " + reason.replace("|", "/"), seconds
    if answer["findings"]:
        return f"found ({answer['occurrences']})", seconds
    return "-" if answer["verdict"] == "clean" else "kernel failed", seconds


def broken_folders(only):
    folders = [file.parent for file in BROKEN.glob("**/kernel.toml")]
    return sorted(folder for folder in folders if only in str(folder.relative_to(BROKEN)))


class Folder:
    """A kernel folder, and the program that runs it."""

    def __init__(self, assay, path):
        self.assay = assay
        self.path = path


def look(work, pool, journal, until):
    """(tool or "alone", name) -> (what it said, seconds), kept in the journal as it comes. What has not begun at the
    time `until` is omitted."""
    says = {}
    if journal.exists():
        for line in journal.read_text().splitlines():
            kept = json.loads(line)
            says[kept["tool"], kept["kernel"]] = kept["said"], kept["seconds"]

    def ask(tool, program, name):
        if time.monotonic() > until:
            return None
        if isinstance(program, Folder):
            return tool, name, *folder_says(program.assay, tool, program.path)
        if tool != "alone":
            return tool, name, *tool_says(tool, program, name)
        status, seconds, _ = run([program, name])
        return tool, name, {None: "hangs", 0: "-"}.get(status, "kernel failed"), seconds

    missing = [(tool, program, name) for program, name in work
               for tool in (TOOLS if isinstance(program, Folder) else ["alone", *TOOLS]) if (tool, name) not in says]
    with journal.open("a") as kept:
        for done in concurrent.futures.as_completed([pool.submit(ask, *job) for job in missing]):
            if done.result() is None:
                continue
            tool, name, said, seconds = done.result()
            says[tool, name] = said, seconds
            kept.write(json.dumps({"tool": tool, "kernel": name, "said": said, "seconds": round(seconds, 3)}) + "\n")
            kept.flush()
    return says


def kind_of(name):
    if name.startswith("racy_"):
        return "race"
    rest = name.removeprefix("planted_")
    kinds = ["proxy_fence", "in_flight", "idle_wait", "out_of_bounds", "misaligned", "leak", "invalid_free", "freed",
             "noncoherent", "uninitialised", "barrier", "deadlock", "inactive_lane", "race"]
    return next(kind for kind in kinds if rest.startswith(kind + "_"))


def broken_lines(names, says):
    known = [name for name in names if all((tool, name) in says for tool in TOOLS)]
    if not known:
        return []
    lines = ["", "| kernel folder | " + " | ".join(TOOLS) + " |", "|---|" + "---|" * len(TOOLS)]
    lines += [f"| {name} | " + " | ".join(says[tool, name][0] for tool in TOOLS) + " |" for name in known]
    return lines


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--jobs", type=int, default=4, help="kernels at a time")
    options.add_argument("--out", type=pathlib.Path, default=pathlib.Path("compute_sanitizer_table.md"))
    options.add_argument("--only", default="", help="kernels whose name contains this")
    options.add_argument("--assay", help="the program that runs kernels/broken, omitted without it")
    options.add_argument("--seconds", type=float, default=3600, help="nothing more begins after this time")
    given = options.parse_args()
    until = time.monotonic() + given.seconds
    for program in ("nvcc", "compute-sanitizer"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not in the PATH")
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                         capture_output=True, text=True).stdout.strip()
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True).stdout
    version = " ".join(re.findall(r"[Vv]ersion (\S+)", version)[:1])

    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            built = pool.map(lambda source: build(source, pathlib.Path(folder)), SOURCES)
            kernels = [(program, name) for program, names in built for name in names if given.only in name]
            folders = broken_folders(given.only) if given.assay else []
            broken = [(Folder(given.assay, folder), str(folder.relative_to(ROOT))) for folder in folders]
            newest = sum(program.name == SOURCES[0].stem for program, _ in kernels)
            says = look(kernels[:newest] + broken + kernels[newest:], pool, given.out.with_suffix(".jsonl"), until)

    complete = [name for _, name in kernels if all((tool, name) in says for tool in ["alone", *TOOLS])]
    left_out = len(kernels) - len(complete)
    planted = [name for name in complete if not name.startswith("clean_")]
    clean = [name for name in complete if name.startswith("clean_")]
    lines = [f"{gpu}, compute-sanitizer {version}, {time.strftime('%Y-%m-%d')}; {len(planted)} planted kernels, "
             f"{len(clean)} clean ones, {given.jobs} at a time.", ""]
    lines += ["| kernel | Assay | " + " | ".join(TOOLS) + " |", "|---|---|" + "---|" * len(TOOLS)]
    for name in planted:
        short = name.removeprefix("planted_")
        lines.append(f"| {short} | {kind_of(name)} | " + " | ".join(says[tool, name][0] for tool in TOOLS) + " |")
    lines += ["", "| | Assay, all checks | " + " | ".join(TOOLS) + " |", "|---|---|" + "---|" * len(TOOLS)]
    lines.append(f"| planted, found | {len(planted)} of {len(planted)} | " + " | ".join(
        f"{sum(says[tool, name][0].startswith('found') for name in planted)} of {len(planted)}" for tool in TOOLS) + " |")
    lines.append(f"| clean, complained of | 0 of {len(clean)} | " + " | ".join(
        f"{sum(says[tool, name][0].startswith('found') for name in clean)} of {len(clean)}" for tool in TOOLS) + " |")
    settled = [name for name in complete if all(says[tool, name][0] != "hangs" for tool in ["alone", *TOOLS])]
    if settled:
        lines.append("| median seconds a kernel | see below | " + " | ".join(
            f"{statistics.median(says[tool, name][1] for name in settled):.2f}" for tool in TOOLS) + " |")
    lines.append("")
    if left_out:
        lines.append(f"{left_out} kernels are not in the table: the time was over. Run it again for the rest.")
    if settled:
        lines.append(f"Without a tool a kernel takes {statistics.median(says['alone', name][1] for name in settled):.2f} s, "
                     "most of it to start CUDA.")
    complaints = [f"{name} ({tool}: {says[tool, name][0]})" for name in clean for tool in TOOLS
                  if says[tool, name][0].startswith("found")]
    if complaints:
        lines.append("Clean kernels that a tool complains of: " + ", ".join(complaints) + ".")
    failed = [name for name in clean if says["alone", name][0] != "-"]
    if failed:
        lines.append("Clean kernels that do not end well on this GPU without a tool: " + ", ".join(failed) + ".")
    lines += broken_lines([name for _, name in broken], says)
    given.out.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
