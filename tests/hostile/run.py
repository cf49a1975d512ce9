# SPDX-License-Identifier: MIT
"""Runs the program on inputs and beside processes that mean harm, and looks at what is left behind.

  python3 run.py PROGRAM [--kind KIND] [--case NAME] [--long] [--jobs N] [--show]

Each KIND.toml lists cases ([[case]]); its [defaults] hold for all of them. A case is a fresh copy of rows/ in a folder
of its own, changed as the case says, and one command:

  name      what is wrong, in words
  command   arguments; {kernel}, {folder}, {source} (this repository) and {fake} (libraries in the driver's place) stand
            for paths, {make} for a command that adds an attempt to {folder}/l.sqlite, {sql} for one that changes it
  files     { "NAME" = "text" } to write;  hex = { "NAME" = "00ff" } the same in bytes
  replace   { "NAME" = [["old", "new"], ...] } in files that are there
  repeat    { "NAME" = ["text", count] } a file of that many copies
  bytes     { "NAME" = { from = "FILE", cut = N, set = [[offset, value], ...], add = "text" } } changed copies
  run       shell commands before the command, in the folder
  scripts   { "NAME" = "text" } programs, executable
  env       variables
  absent    paths that must be gone afterwards
  within    words before the program's name: a shell that closes descriptors or sets limits
  exit      the expected exit code (or a list, with the reason in `because`);  says: what stdout or stderr hold (text or list);  not: what they do not
  seconds   the most that it may take (default 20);  long: only with --long
  kill      a signal that the command gets once the file `when` is there, and `after` seconds later
  afterwards  more commands, to clean up what the first one could not: their own results do not matter
  most      bytes that it may say
  same      { "PATH": "OTHER" } two files that must hold the same bytes afterwards
  is        { "PATH" = "file", "folder", "link", "fifo" or "device" } that must be there afterwards

Whatever a case does: no raw control character reaches standard output or standard error, the program does not crash
or call itself broken, and afterwards no process that it started is alive, its temporary folder is empty, the cache
holds no work in progress, and /dev/shm holds nothing new of ours.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
KINDS = ["specifications", "suites", "ptx", "cubins", "providers", "references", "tool_reports", "ledgers", "processes",
         "reports", "records", "imports", "baselines", "integers", "words"]
NAMED_KINDS = KINDS[:8]  # of which twenty cases each are promised
KIND_OF_FILE = {"file": stat.S_ISREG, "folder": stat.S_ISDIR, "link": stat.S_ISLNK, "fifo": stat.S_ISFIFO,
                "device": stat.S_ISCHR}
WORDS_OF_A_DEFECT = ["a defect of ours", "internal error", "terminate called", "Sanitizer", "Assertion `"]
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
WORKFLOW_COMMAND = re.compile(rb"^\s*::|##\[", re.MULTILINE)


class Case:
    def __init__(self, kind, entry, defaults, options):
        self.kind = kind
        self.entry = {**defaults, **entry}
        self.options = options
        self.problems = []

    @property
    def name(self):
        return f"{self.kind}: {self.entry['name']}"

    def get(self, key, otherwise):
        return self.entry.get(key, otherwise)

    def fill(self, text):
        paths = {"{kernel}": self.kernel, "{folder}": self.folder, "{source}": SOURCE, "{here}": HERE,
                 "{fake}": self.options.program.parent / "tests" / "fake",
                 "{make}": f"'{self.options.program}' check '{self.kernel}' --device vgpu:a100 --ledger "
                           f"'{self.folder}/l.sqlite' > /dev/null",
                 "{sql}": f"'{sys.executable}' '{HERE}/sql.py' '{self.folder}/l.sqlite'"}
        for name, path in paths.items():
            text = text.replace(name, str(path))
        return text

    # --- before
    def prepare(self):
        self.kernel = self.folder / "rows"
        shutil.copytree(HERE / "rows", self.kernel)
        for name in ("tmp", "home"):
            (self.folder / name).mkdir()
        tables = [("files", self.write_text), ("hex", self.write_hex), ("repeat", self.write_repeated),
                  ("replace", self.replace), ("bytes", self.write_changed), ("scripts", self.write_script)]
        for key, write in tables:
            for name, value in self.get(key, {}).items():
                path = pathlib.Path(self.fill(name)) if name.startswith("{") else self.kernel / name
                path.parent.mkdir(parents=True, exist_ok=True)
                write(path, value)
        for line in self.get("run", []):
            subprocess.run(["/bin/sh", "-c", self.fill(line)], cwd=self.kernel, check=True, env=self.environment())

    def write_text(self, path, text):
        path.write_text(self.fill(text))

    def write_hex(self, path, text):
        path.write_bytes(bytes.fromhex(text))

    def write_repeated(self, path, pair):
        path.write_text(pair[0] * pair[1])

    def write_script(self, path, text):
        path.write_text(self.fill(text))
        path.chmod(0o755)

    def replace(self, path, pairs):
        text = path.read_text()
        for old, new in pairs:
            if old not in text:
                raise ValueError(f"{self.name}: '{old}' is not in {path.name}")
            text = text.replace(old, self.fill(new))
        path.write_text(text)

    def write_changed(self, path, how):
        data = bytearray(pathlib.Path(self.fill(how["from"])).read_bytes())
        for offset, value in how.get("set", []):
            data[offset] = value
        if "cut" in how:
            del data[how["cut"]:]
        path.write_bytes(bytes(data) + how.get("add", "").encode())

    def environment(self):
        variables = {"ASSAY": str(self.options.program), "PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp"),
                     "LANG": "C.UTF-8", "ASSAY_CACHE": str(self.folder / "cache"), "ASSAY_LEDGER": "none",
                     "ASSAY_NVCC": str(HERE / "nvcc.sh"), "ASSAY_CUDA_DRIVER": "none", "ASSAY_NVML_LIBRARY": "none",
                     "ASSAY_CUPTI_LIBRARY": "none", "ASSAY_HOSTILE_CASE": self.mark}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                variables[name] = os.environ[name]
        variables.update({name: self.fill(value) for name, value in self.get("env", {}).items()})
        return variables

    # --- during
    def run(self):
        self.mark = f"{os.getpid()}-{id(self)}"
        with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
            self.folder = pathlib.Path(folder).resolve()
            self.prepare()
            began = time.monotonic()
            self.execute()
            self.seconds = time.monotonic() - began
            if self.seconds > self.limit():
                self.problems.append(f"took {self.seconds:.1f} s")
            self.look_at_output()
            self.look_for_processes()
            for words in self.get("afterwards", []):
                subprocess.run([self.options.program] + [self.fill(word) for word in words], cwd=self.folder,
                               env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False)
            self.look_for_processes()
            self.look_for_files()
            for path in self.folder.rglob("*"):  # what a case made unreadable
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o755)
        return self

    def limit(self):
        return self.get("seconds", 20) * self.options.patience

    def execute(self):
        arguments = self.get("within", []) + [str(self.options.program)] + [self.fill(word) for word in self.entry["command"]]
        with open(self.folder / "stdout", "wb") as out, open(self.folder / "stderr", "wb") as err:
            process = subprocess.Popen(arguments, cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err, start_new_session=True)
            try:
                if "kill" in self.entry:
                    self.interrupt(process)
                self.status = process.wait(timeout=self.limit() + 10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                self.status = "no end"
        self.output = (self.folder / "stdout").read_bytes() + (self.folder / "stderr").read_bytes()

    # Once the case has begun: when the file `when` appears, or after `after` seconds.
    def interrupt(self, process):
        deadline = time.monotonic() + self.limit()
        if "when" in self.entry:
            wanted = pathlib.Path(self.fill(self.entry["when"]))
            while not wanted.exists() and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            if not wanted.exists():
                self.problems.append("the moment for the signal never came")
        time.sleep(self.get("after", 0))
        process.send_signal(getattr(signal, self.entry["kill"]))

    # --- after
    def look_at_output(self):
        wanted = self.entry["exit"]
        if self.status not in (wanted if isinstance(wanted, list) else [wanted]):
            self.problems.append(f"exit {self.status} instead of {wanted}")
        for line in [self.get("says", [])] if isinstance(self.get("says", []), str) else self.get("says", []):
            if self.fill(line).encode() not in self.output:
                self.problems.append(f"does not say '{line}'")
        for line in self.get("not", []):
            if self.fill(line).encode() in self.output:
                self.problems.append(f"says '{line}'")
        for word in WORDS_OF_A_DEFECT:
            if word.encode() in self.output:
                self.problems.append(f"says '{word}'")
        if len(self.output) > self.get("most", 1 << 26):
            self.problems.append(f"says {len(self.output)} bytes")
        for path in self.get("absent", []):
            if os.path.lexists(self.fill(path)):
                self.problems.append(f"{path} is still there")
        for path, kind in self.get("is", {}).items():
            mode = os.lstat(self.fill(path)).st_mode if os.path.lexists(self.fill(path)) else 0
            if not KIND_OF_FILE[kind](mode):
                self.problems.append(f"{path} is no {kind}")
        for path, other in self.get("same", {}).items():
            if pathlib.Path(self.fill(path)).read_bytes() != pathlib.Path(self.fill(other)).read_bytes():
                self.problems.append(f"{path} is not as {other}")
        if found := CONTROL.search(self.output):
            self.problems.append(f"prints the control character {found.group()!r}")
        if WORKFLOW_COMMAND.search(self.output):
            self.problems.append("prints a workflow command")

    def look_for_processes(self):
        deadline = time.monotonic() + 5 * self.options.patience
        while (alive := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.02)
        for pid, words in alive:
            self.problems.append(f"process {pid} is left: {words}")
            os.kill(pid, signal.SIGKILL)

    def look_for_files(self):
        left = [path.name for path in (self.folder / "tmp").iterdir()]
        if left:
            self.problems.append(f"temporary files are left: {left[:5]}")
        cache = self.folder / "cache"
        unfinished = r"(^|/)drafts/.|\.draft|assay-"
        drafts = [str(path.relative_to(cache)) for path in cache.rglob("*")
                  if re.search(unfinished, str(path.relative_to(cache)))] if cache.exists() else []
        if drafts:
            self.problems.append(f"work in progress is left in the cache: {drafts[:5]}")

    def processes(self):
        found = []
        wanted = f"ASSAY_HOSTILE_CASE={self.mark}".encode()
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            try:
                with open(f"/proc/{entry.name}/environ", "rb") as file:
                    if wanted in file.read().split(b"\0"):
                        with open(f"/proc/{entry.name}/cmdline", "rb") as words:
                            found.append((int(entry.name), words.read().replace(b"\0", b" ").decode(errors="replace")))
            except OSError:
                continue
        return found


def load(kind, options):
    with open(HERE / f"{kind}.toml", "rb") as file:
        document = tomllib.load(file)
    cases = [Case(kind, entry, document.get("defaults", {}), options) for entry in document["case"]]
    names = [case.entry["name"] for case in cases]
    for name in {name for name in names if names.count(name) > 1}:
        sys.exit(f"{kind}.toml has two cases '{name}'")
    for case in cases:
        if not case.get("says", "") and "kill" not in case.entry and not case.get("because", ""):
            sys.exit(f"{case.name}: without the message that is expected (says)")
        if isinstance(case.entry["exit"], list) and "kill" not in case.entry and not case.get("because", ""):
            sys.exit(f"{case.name}: several exit codes, and no word why (because)")
    return cases


def too_few(every):
    """What the list must hold at least."""
    counts = {kind: sum(case.kind == kind for case in every) for kind in KINDS}
    return [f"only {counts[kind]} cases of {kind}" for kind in NAMED_KINDS if counts[kind] < 20] + (
        [f"only {len(every)} cases"] if len(every) < 250 else [])


def names_in_shared_memory():
    return {name for name in os.listdir("/dev/shm") if name.startswith("assay-scratch")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--case", default="", help="only names that hold this")
    parser.add_argument("--long", action="store_true", help="only those that take longer, which are left out otherwise")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="what the program said, of every case")
    parser.add_argument("--patience", type=float, default=float(os.environ.get("ASSAY_PATIENCE", 3)),
                        help="factor of the time limits, for busy machines")
    options = parser.parse_args()
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell ignores it for what it starts in the background
    options.program = options.program.resolve()
    shared = names_in_shared_memory()
    every = [case for kind in KINDS for case in load(kind, options)]
    if missing := too_few(every):
        sys.exit("; ".join(missing))
    cases = [case for case in every if case.kind == (options.kind or case.kind) and options.case in case.entry["name"]
             and (options.long == case.get("long", False) or (options.case and case.get("long", False)))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case in pool.map(Case.run, cases):
            failed += bool(case.problems)
            if case.problems or options.show:
                print(f"{'FAILED' if case.problems else 'ok'} {case.name} ({case.seconds:.1f} s)")
                for problem in case.problems:
                    print(f"    {problem}")
                print("    | " + case.output[:1500].decode(errors="replace").replace("\n", "\n    | "), flush=True)
    left = names_in_shared_memory() - shared
    if left:
        print(f"FAILED: left in shared memory: {sorted(left)[:5]}")
    counts = ", ".join(f"{kind} {sum(case.kind == kind for case in every)}" for kind in KINDS)
    print(f"{len(cases) - failed} of {len(cases)} cases as expected, of {len(every)} ({counts})")
    return 1 if failed or left else 0


if __name__ == "__main__":
    sys.exit(main())
