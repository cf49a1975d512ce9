# SPDX-License-Identifier: MIT
"""A tuning on a real Slurm of two nodes, in this machine: preemptions, a killed node, a killed command. Then, on the
same cluster with less trouble, a short evolution and, with a library in the driver's place, a short suite.

  python3 slurm_test.py PROGRAM FAKE_DRIVER [ITEMS]

Exit code 77: Slurm is not installed here (make setup-slurm). ASSAY_TEST_SEED chooses the moments; the seed is printed.
"""

import getpass
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from spaces import ROOT, make_kernel

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
FAKE = pathlib.Path(sys.argv[2]).resolve()
ITEMS = int(sys.argv[3]) if len(sys.argv) > 3 else 200
SEED = int(os.environ.get("ASSAY_TEST_SEED", "7"))
SKIPPED = 77
NEEDED = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """Two nodes of one processor each; `scavenge` gives way to `main`."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))
        self.path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        for name in ("munge", "state", "spool/n1", "spool/n2", "log"):
            (folder / name).mkdir(parents=True)
        (folder / "munge").chmod(0o700)
        key = folder / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        host, user = socket.gethostname().split(".")[0], getpass.getuser()
        self.ports = [free_port() for _ in range(3)]
        (folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge/socket,cred_expire=5
SlurmctldPort={self.ports[0]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
SlurmdTimeout=10
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={self.ports[1]} CPUs=1 RealMemory=1000
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={self.ports[2]} CPUs=1 RealMemory=1000
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=01:00:00 PriorityTier=10 PreemptMode=off
PartitionName=scavenge Nodes=n[1-2] MaxTime=01:00:00 PriorityTier=1 PreemptMode=requeue
""")
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")

    def call(self, *words, check=True):
        program = shutil.which(words[0], path=self.path)
        done = subprocess.run([program, *words[1:]], env=self.environment, capture_output=True, text=True, timeout=60)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.returncode}: {done.stderr}")
        return done.stdout

    def start_node(self, node):
        self.call("slurmd", "-f", self.folder / "slurm.conf", "-N", node)

    def start(self):
        munge = self.folder / "munge"
        self.call("munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/pid",
                  f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        self.call("slurmctld", "-f", self.folder / "slurm.conf")
        for node in ("n1", "n2"):
            self.start_node(node)
        for _ in range(60):
            states = self.call("sinfo", "--noheader", "--partition=main", "--format=%T", check=False).split()
            if states and set(states) == {"idle"}:
                return
            time.sleep(0.5)
        raise RuntimeError("the nodes do not come up:\n" + "\n".join(
            file.read_text()[-1500:] for file in (self.folder / "log").glob("*")))

    def kill_node(self, node):
        """The node is gone at once, with what ran on it: no signal that could be caught."""
        pid_file = self.folder / f"slurmd.{node}.pid"
        steps = [pid for pid, words in processes() if words and words[0].startswith("slurmstepd")
                 and f"/spool/{node}" in open_files(pid)]
        for pid in [int(pid_file.read_text()), *steps]:
            for each in [*descendants(pid), pid]:
                kill(each)

    def stop(self):
        for pid_file in [*self.folder.glob("*.pid"), self.folder / "munge" / "pid"]:
            try:
                kill(int(pid_file.read_text()))
            except (OSError, ValueError):
                pass
        for pid, words in processes():
            if words and words[0].startswith("slurmstepd"):
                kill(pid)


def kill(pid, how=signal.SIGKILL):
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        pass


def processes():
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield int(entry.name), (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
            except OSError:
                pass


def open_files(pid):
    """What the process has open, and where it works, as one text."""
    names = []
    try:
        for link in [*(pathlib.Path("/proc") / str(pid) / "fd").iterdir(), pathlib.Path("/proc") / str(pid) / "cwd"]:
            names.append(os.readlink(link))
    except OSError:
        pass
    return "\n".join(names)


def descendants(pid):
    found = []
    try:
        for task in (pathlib.Path("/proc") / str(pid) / "task").iterdir():
            for child in (task / "children").read_text().split():
                found += [*descendants(int(child)), int(child)]
    except OSError:
        pass
    return found


def workers(work):
    return [pid for pid, words in processes() if len(words) > 2 and words[1] == "work" and words[2].startswith(str(work))]


class Trouble:
    """What happens to a cluster, at random moments, until it is enough."""

    def __init__(self, cluster, work, chance):
        self.cluster, self.work, self.chance = cluster, work, chance
        self.counts = {"preemptions": 0, "requeues": 0, "node losses": 0, "worker kills": 0}
        self.lost_at = None  # when the node was lost; it comes back when Slurm has noticed
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        kinds = [self.preempt, self.requeue, self.kill_worker]
        while not self.over.wait(self.chance.uniform(0.5, 2.0)):
            if self.lost_at and time.monotonic() - self.lost_at > 15:
                self.bring_back()
            if self.counts["node losses"] == 0 and sum(self.counts.values()) >= 2:
                self.lose_node()
            else:
                self.chance.choice(kinds)()
        if self.lost_at:
            self.bring_back()

    def preempt(self):
        self.cluster.call("sbatch", "--parsable", "--partition=main", "--output=/dev/null", "--wrap", "sleep 1",
                          check=False)
        self.counts["preemptions"] += 1

    def requeue(self):
        jobs = self.cluster.call("squeue", "--noheader", "--states=running", "--partition=scavenge", "--format=%i",
                                 check=False).split()
        if jobs:
            self.cluster.call("scontrol", "requeue", self.chance.choice(jobs), check=False)
            self.counts["requeues"] += 1

    def kill_worker(self):
        found = workers(self.work)
        if found and self.counts["worker kills"] == 0:  # with the lost node two; over three an item is given up
            kill(self.chance.choice(found))
            self.counts["worker kills"] += 1

    def lose_node(self):
        self.cluster.kill_node("n2")
        self.counts["node losses"] += 1
        self.lost_at = time.monotonic()

    def bring_back(self):
        self.cluster.start_node("n2")
        self.lost_at = None


def fail(text):
    print(f"FAILED (seed {SEED}): {text}")
    return 1


def divided(cluster, folder, name, words, environment):
    """Another command on the cluster, one of whose jobs is requeued in the middle: its document, or why there is none."""
    work = folder / f"{name} work"
    command = [PROGRAM, *words, "--executor", "slurm", "--workers", "2", "--partition", "scavenge", "--lease", "4",
               "--work-folder", work, "--json"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(100):
        if workers(work) or process.poll() is not None:
            break
        time.sleep(0.1)
    running = cluster.call("squeue", "--noheader", "--states=running", "--partition=scavenge", "--format=%i", check=False)
    for job in running.split()[:1]:
        cluster.call("scontrol", "requeue", job, check=False)
    try:
        output, errors = process.communicate(timeout=240)
    finally:
        for pid in workers(work):
            kill(pid)
    if process.returncode != 0:
        return None, f"{name}: exit code {process.returncode}\n{output[-2000:]}\n{errors[-2000:]}"
    return json.loads(output), ""


def test_evolve(cluster, folder, environment):
    """The same lineage as without workers."""
    words = ["evolve", ROOT / "tests/evolve/kernels/stepwise_copy", "--device", "vgpu:l4", "--proposer", "mutate", "--seed",
             "5", "--proposals", "6", "--ledger", "none", "--journal"]
    here = subprocess.run([PROGRAM, *words, folder / "here.jsonl", "--json"], env=environment, capture_output=True,
                          text=True, timeout=240)
    if here.returncode != 0:
        return f"evolve: exit code {here.returncode}\n{here.stderr[-2000:]}"
    document, problem = divided(cluster, folder, "evolve", [*words, folder / "there.jsonl", "--in-flight", "1"], environment)
    if problem:
        return problem
    steps = lambda found: [(step["proposal"], step["id"], step["verdict"], step["gate"], step["ratio"])
                           for step in found["steps"]]
    if steps(document) != steps(json.loads(here.stdout)):
        return f"evolve: another lineage than without workers: {steps(document)}"
    print(f"evolve: {len(document['steps'])} proposals, {document['accepted']} accepted, as without workers")
    return ""


def test_suite(cluster, folder, environment):
    for name in ("reduction", "primitives"):
        shutil.copytree(ROOT / "kernels" / name, folder / "suite" / name)
    suite = folder / "suite" / "suite.toml"
    suite.write_text("""[suite]
name = "rows"
[[kernel]]
folder = "reduction"
shapes = { ROWS = [1, 2, 3, 4], COLUMNS = 16 }
baselines = ["reduction"]
most_samples = 100
""")
    environment = dict(environment, ASSAY_CUDA_DRIVER=str(FAKE), FAKE_CUDA_WAITS="1", ASSAY_NVCC="none")
    document, problem = divided(cluster, folder, "suite", ["suite", suite, "--ledger", folder / "ledger.sqlite"],
                                environment)
    if problem:
        return problem
    found = [(row["shape"], row["status"]) for row in document["rows"]]
    if found != [(f"COLUMNS=16,ROWS={rows}", "measured") for rows in (1, 2, 3, 4)]:
        return f"suite: {found}"
    print(f"suite: {len(found)} items measured")
    return ""


def test(folder):
    chance = random.Random(SEED)
    cluster = Cluster(folder / "slurm")
    work = folder / "work"
    try:
        cluster.start()
        kernel, environment = make_kernel(folder, ITEMS)
        environment = dict(cluster.environment, ASSAY_CACHE=str(folder / "cache"), **environment)
        journal = folder / "journal.jsonl"
        command = [PROGRAM, "tune", kernel, "--device", "vgpu:a100", "--strategy", "exhaustive", "--executor", "slurm",
                   "--workers", "2", "--partition", "scavenge", "--lease", "4", "--work-folder", work, "--journal", journal,
                   "--resume", "--json"]
        trouble = Trouble(cluster, work, chance)
        trouble.thread.start()
        begin = time.monotonic()
        try:
            first = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            while len(journal.read_text().splitlines()) < 5 if journal.exists() else True:
                if first.poll() is not None:
                    return fail("it ended early: " + first.communicate()[1].decode())
                if time.monotonic() - begin > 120:
                    return fail("nothing was evaluated in two minutes")
                time.sleep(0.2)
            first.kill()
            first.communicate()
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1500)
        finally:
            trouble.over.set()
            trouble.thread.join()
        if done.returncode != 0:
            return fail(f"exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        document = json.loads(done.stdout)
        ids = [each["configuration"] for each in document["evaluated"]]
        lines = [json.loads(line)["configuration"] for line in journal.read_text().splitlines()[1:]]
        if len(ids) != ITEMS or len(set(ids)) != ITEMS:
            return fail(f"{len(ids)} evaluations of {len(set(ids))} configurations instead of {ITEMS}")
        if sorted(lines) != sorted(ids):
            return fail(f"the journal has {len(lines)} lines of {len(set(lines))} configurations")
        failures = {each["failure"]: each["message"] for each in document["evaluated"] if each["failure"]}
        if failures:
            return fail(f"configurations failed that are right: {failures}")
        hosts = sorted({host for each in document["devices"] for host in each["hosts"]})
        print(f"{ITEMS} items on {', '.join(hosts)} in {time.monotonic() - begin:.0f} s, seed {SEED}: "
              + ", ".join(f"{count} {kind}" for kind, count in trouble.counts.items())
              + "; the command killed once; nothing lost, nothing counted twice")
        if trouble.counts["node losses"] == 0 or sum(trouble.counts.values()) < 4:
            return fail("it was over before enough had happened")
        time.sleep(1)
        plain = dict(cluster.environment, ASSAY_CACHE=str(folder / "cache"), ASSAY_CUDA_DRIVER="none", ASSAY_NVCC="none",
                     ASSAY_NVML_LIBRARY="none", ASSAY_CUPTI_LIBRARY="none")
        for further in (test_evolve, test_suite):
            begin = time.monotonic()
            problem = further(cluster, folder, plain)
            if problem:
                return fail(problem)
            print(f"{further.__name__}: {time.monotonic() - begin:.0f} s")
        time.sleep(1)
        if cluster.call("squeue", "--noheader", "--partition=scavenge", "--states=running,pending", check=False).strip():
            return fail("jobs are left")
        return 0
    finally:
        cluster.stop()
        for pid in workers(work):
            kill(pid)


def main():
    missing = [name for name in NEEDED if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing:
        print(f"skipped: not here: {', '.join(missing)} (make setup-slurm installs slurm-wlm and munge)")
        return SKIPPED
    folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-slurm-"))
    try:
        return test(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
