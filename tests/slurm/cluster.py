#!/usr/bin/env python3
"""A real Slurm of virtual nodes on this machine, run by and for the user who starts it.

    with Cluster(folder, nodes=2) as cluster:
        subprocess.run(["sbatch", ...], env=cluster.environment)

cluster.py FOLDER [--nodes 2] [-- COMMAND...] starts one, runs the command (default: a shell) and stops it. It
consists of munged, slurmctld and a slurmd per node, each a child of this process with its files in FOLDER. They listen on
loopback only, on free ports, and accept clients with the key in FOLDER. A job in the partition urgent
preempts those in main, the default. Nodes are n1, n2, ..., all on this host (slurm.conf(5), NodeHostname and Port; Slurm's
quick start guide for administrators, "multiple slurmd support"). Debian's packages slurmctld, slurmd, slurm-client, munge.
"""

import argparse
import contextlib
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel", "scontrol", "srun")
START_S = 60
END_S = 10

CONF = """\
ClusterName=ringside-test
SlurmctldHost={host}
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=5
OverTimeLimit=0
MinJobAge=600
SlurmctldTimeout=30
SlurmdTimeout=10
InactiveLimit=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobs.txt
{nodes}
PartitionName=main Nodes={names} Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE
PartitionName=urgent Nodes={names} MaxTime=INFINITE State=UP PriorityTier=2 PreemptMode=OFF
"""


def missing():
    """Programs of Slurm that are not installed."""
    path = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin" + os.pathsep + "/sbin"
    return [name for name in PROGRAMS if not shutil.which(name, path=path)]


def free_ports(count):
    """Distinct ports that are not in use."""
    with contextlib.ExitStack() as held:
        ports = []
        for _ in range(count):
            listening = held.enter_context(socket.socket())
            listening.bind(("127.0.0.1", 0))
            ports.append(listening.getsockname()[1])
        return ports


class Cluster:
    """Running between enter and exit. With `environment` Slurm's commands use this cluster; `daemons["n2"]` is a node's
    slurmd."""

    def __init__(self, folder, nodes=2, cpus=2, gpus=0):
        self.folder = pathlib.Path(folder).resolve()
        self.names = [f"n{index + 1}" for index in range(nodes)]
        self.cpus = cpus
        self.gpus = gpus  # per node; these are terminals, which Slurm counts but no program computes on
        self.daemons = {}
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"),
                                PATH=os.environ.get("PATH", "") + os.pathsep + "/usr/sbin" + os.pathsep + "/sbin")

    def __enter__(self):
        try:
            self._write_files()
            self._start("munged", ["munged", "--foreground", "--force", f"--key-file={self.folder}/munge.key",
                                   f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
                                   f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munge.seed"])
            self._wait_for("munged", (self.folder / "munge.socket").exists)
            self._start("slurmctld", ["slurmctld", "-D", "-c"])
            for name in self.names:
                self.start_node(name)
            self._wait_for("the nodes", self._all_idle)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(["scancel", "--user", getpass.getuser()], env=self.environment, timeout=END_S, check=False,
                           stderr=subprocess.DEVNULL)
            self._wait_for_end_of_jobs()
        for name in reversed(list(self.daemons)):
            self.stop(name)

    def _wait_for_end_of_jobs(self):
        """Waits until no job is left, since a slurmd that ends earlier leaves their steps behind."""
        deadline = time.monotonic() + END_S
        while time.monotonic() < deadline:
            left = subprocess.run(["squeue", "--noheader"], env=self.environment, timeout=END_S, check=True, capture_output=True)
            if not left.stdout.strip():
                return
            time.sleep(0.2)

    def start_node(self, name):
        """Starts a node's slurmd, also after it was stopped."""
        self._start(name, ["slurmd", "-D", "-N", name])

    def stop(self, name, how=signal.SIGTERM):
        """Ends one daemon and waits; unlike a dead node, a killed slurmd leaves the steps of its jobs behind."""
        process = self.daemons.pop(name, None)
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _write_files(self):
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.folder / "state").mkdir(exist_ok=True)
        for name in self.names:
            (self.folder / f"spool-{name}").mkdir(exist_ok=True)
        key = self.folder / "munge.key"
        with contextlib.suppress(FileExistsError):
            with open(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(os.urandom(128))
        host = socket.gethostname().split(".")[0]
        port, *ports = free_ports(1 + len(self.names))
        more = f" Gres=gpu:{self.gpus}" if self.gpus else ""
        nodes = "\n".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={own} CPUs={self.cpus}{more} State=UNKNOWN"
                          for name, own in zip(self.names, ports))
        if self.gpus:
            nodes = f"GresTypes=gpu\n{nodes}"
            (self.folder / "gres.conf").write_text(f"Name=gpu File=/dev/tty[0-{self.gpus - 1}]\n", encoding="utf-8")
        (self.folder / "slurm.conf").write_text(
            CONF.format(host=f"{host}(127.0.0.1)", port=port, user=getpass.getuser(), folder=self.folder, nodes=nodes,
                        names=",".join(self.names)), encoding="utf-8")
        # The host's own control groups are not used, since they belong to other programs.
        (self.folder / "cgroup.conf").write_text("CgroupAutomount=no\n", encoding="utf-8")

    def _start(self, name, argv):
        log = self.folder / f"{name}.out"
        with open(log, "ab") as output:
            self.daemons[name] = subprocess.Popen(argv, env=self.environment, stdin=subprocess.DEVNULL, stdout=output,
                                                  stderr=subprocess.STDOUT, start_new_session=True)

    def _wait_for(self, what, is_there):
        deadline = time.monotonic() + START_S
        while not is_there():
            for name, process in self.daemons.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended: {self._last_words(name)}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"{what} did not come up: {self._last_words('slurmctld')}")
            time.sleep(0.1)

    def _last_words(self, name):
        words = ""
        for log in (self.folder / f"{name}.out", self.folder / f"{name}.log", self.folder / f"slurmd-{name}.log"):
            if log.exists():
                words += log.read_text(encoding="utf-8", errors="replace")[-1500:]
        return words.strip() or "it said nothing"

    def _all_idle(self):
        answer = subprocess.run(["sinfo", "--noheader", "--partition=main", "--Node", "--format=%N %t"], env=self.environment, capture_output=True,
                                text=True, timeout=20, check=False)
        return sorted(answer.stdout.split("\n")[:-1]) == [f"{name} idle" for name in self.names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    if absent := missing():
        sys.exit(f"cluster.py: {', '.join(absent)} missing: Debian's packages slurmctld, slurmd, slurm-client, munge have them")
    with Cluster(options.folder, options.nodes) as cluster:
        return subprocess.run(options.command or [os.environ.get("SHELL", "/bin/sh")], env=cluster.environment,
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
