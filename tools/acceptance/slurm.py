"""Our programs under Debian's Slurm: srun starts the ranks, which find each other through PMI-2 or PMIx.

A Slurm of its own runs for the time of the tests: two nodes, both on loopback, with all state in a folder of its own.
For root only; Debian's packages slurmd, slurmctld, slurm-client, munge.
"""
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

PROGRAMS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "launch" / "programs"
NODES = ("n1", "n2")
CPUS = 16  # of each node, so that ranks find room

CONFIGURATION = """ClusterName=heddle
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
TmpFS={folder}/tmp.%n
MailProg=/bin/true
PlugStackConfig=/dev/null
SlurmdParameters=config_overrides
"""


def free_ports(count):
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in listeners]
    for each in listeners:
        each.close()
    return ports


class Slurm:
    """A context: it runs inside, and nothing of it is left afterwards."""

    def __init__(self, folder, nodes=NODES):
        self.folder = folder
        self.nodes = nodes
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "FI_TCP_IFACE": "lo"}

    def __enter__(self):
        try:
            self.begin_munge()
            self.begin()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(self, *_):
        self.end()

    def do(self, *command, **options):
        subprocess.run(command, check=True, env=self.environment, stdout=subprocess.DEVNULL, **options)

    def begin_munge(self):
        """The daemon by which Slurm knows the user of a call."""
        folder = self.folder / "munge"
        shutil.rmtree(self.folder, ignore_errors=True)
        folder.mkdir(parents=True)
        key = folder / "key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        user = pwd.getpwnam("munge")
        for path in (folder, key):
            os.chown(path, user.pw_uid, user.pw_gid)
        folder.chmod(0o711)
        self.do("setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", "munged", f"--key-file={key}",
                f"--socket={folder}/socket", f"--pid-file={folder}/pid", f"--log-file={folder}/log",
                f"--seed-file={folder}/seed", "--force")

    def begin(self):
        host = socket.gethostname().split(".")[0]
        ports = free_ports(1 + len(self.nodes))
        lines = [CONFIGURATION.format(host=host, folder=self.folder, port=ports[0])]
        (self.folder / "state").mkdir()
        for node, port in zip(self.nodes, ports[1:]):
            (self.folder / f"spool.{node}").mkdir()
            (self.folder / f"tmp.{node}").mkdir()
            lines.append(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={CPUS} State=UNKNOWN\n")
        lines.append(f"PartitionName=all Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES\n")
        (self.folder / "slurm.conf").write_text("".join(lines))
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\nCgroupAutomount=no\n")
        self.do("slurmctld", "-c")
        for node in self.nodes:
            self.do("slurmd", "-N", node)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            state = subprocess.run(["sinfo", "-h", "-o", "%t %D"], env=self.environment, capture_output=True, text=True).stdout
            if f"idle {len(self.nodes)}" in state:
                return
            time.sleep(0.2)
        sys.exit(f"Slurm's nodes did not come up within 60 s: {state}; {self.folder} has its logs")

    def end(self):
        for file in [*self.folder.glob("slurmd.*.pid"), self.folder / "slurmctld.pid", self.folder / "munge" / "pid"]:
            if not file.exists():
                continue
            process = int(file.read_text())
            try:
                os.kill(process, signal.SIGTERM)
                for _ in range(100):
                    os.kill(process, 0)
                    time.sleep(0.1)
            except ProcessLookupError:
                pass


def add_arguments(parser):
    parser.add_argument("--ranks", default="2,4,8", help="numbers of ranks, spread over two nodes")


def build(work, prefix, _options):
    """Returns the folder of the programs."""
    if os.geteuid() != 0:
        sys.exit("Slurm's daemons are started for it: one must be root")
    work.mkdir(parents=True, exist_ok=True)
    for name in ("exchange", "leave", "nodes", "ring"):
        subprocess.run([prefix / "bin/mpicc", "-O1", "-o", work / name, PROGRAMS / f"{name}.c"], check=True)
    return work


def rows(prefix, ranks):
    """What is run, its status, and what it must then say on stdout, or on stderr where it fails."""
    on_two = ["-N", str(len(NODES)), "-n", ranks, "-K"]
    last = int(ranks) - 1
    total = int(ranks) * last // 2
    for kind in ("pmi2", "pmix"):
        srun = ["srun", f"--mpi={kind}", *on_two]
        yield [*srun, "./ring"], 0, rf"\Asum {total}\n\Z"
        yield [*srun, "./nodes"], 0, rf"\Anodes {len(NODES)}, sum {total}\n\Z"
        yield [*srun, "./exchange"], 0, r"\Aok\n\Z"
        yield [*srun, "./leave", "abort", str(last), "17"], 17, rf"rank {last}: MPI_Abort\(.*, 17\)$"
    salloc = ["salloc", "-Q", "-N", str(len(NODES)), "--ntasks-per-node=1", "--cpus-per-task=2", f"{prefix}/bin/mpiexec"]
    for kind in ([], ["--ranks-as", "processes"]):
        yield [*salloc, *kind, "-n", ranks, "./nodes"], 0, rf"\Anodes {len(NODES)}, sum {total}\n\Z"
        yield [*salloc, *kind, "-n", ranks, "./exchange"], 0, r"\Aok\n\Z"
        yield [*salloc, *kind, "--host", "n1:2,n2:1", "-n", "3", "./nodes"], 0, r"\Anodes 2, sum 3\n\Z"
        yield [*salloc, *kind, "-n", ranks, "./leave", "early", str(last), "3"], 3, rf"rank {last}: the program ended with status 3"


def run(folder, _folder_of_run, prefix, ranks, _options):
    """Returns what is wrong."""
    complaints = []
    with Slurm(pathlib.Path(f"/tmp/heddle-slurm-{os.getpid()}")) as slurm:
        for command, status, wanted in rows(prefix, ranks):
            line = " ".join(command).replace(f"{prefix}/bin/", "")
            begin = time.monotonic()
            try:
                result = subprocess.run(command, cwd=folder, env=slurm.environment, stdin=subprocess.DEVNULL,
                                        capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired:
                complaints.append(f"{line}: it did not end within 120 s")
                continue
            said = result.stdout if status == 0 else result.stderr
            print(f"  {line}: {time.monotonic() - begin:.1f} s", flush=True)
            if result.returncode != status or not re.search(wanted, said, re.MULTILINE):
                complaints.append(f"{line}: status {result.returncode}; {(result.stdout + result.stderr)[-600:]}")
    if not complaints:
        shutil.rmtree(slurm.folder, ignore_errors=True)
    return complaints
