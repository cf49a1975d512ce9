# SPDX-License-Identifier: MIT
"""A tuning on a real Slurm of two nodes, in this machine: preemptions, a killed node, a killed command.

  python3 slurm_test.py PROGRAM [ITEMS]

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

from spaces import make_kernel

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
ITEMS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
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
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        kinds = [self.preempt, self.requeue, self.kill_worker]
        while not self.over.wait(self.chance.uniform(0.5, 2.5)):
            if self.counts["node losses"] == 0 and sum(self.counts.values()) >= 2:
                self.lose_node()
            else:
                self.chance.choice(kinds)()

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
        time.sleep(15)  # until Slurm has noticed
        self.cluster.start_node("n2")


def fail(text):
    print(f"FAILED (seed {SEED}): {text}")
    return 1


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
