"""Two nodes, which are network namespaces of this machine: Heddle beside MPICH and Intel MPI over TCP. For root.

    ./dev bench network [--rounds N] [--only NAME ...]

All take turns, round by round. Printed are medians over the rounds of each round's median, in microseconds a message, and Heddle's share of
the best: above 1 it is faster. Rows: half a ping-pong, one message of windows of 64, a put with its flush, and a put with a lock of its own. `heddle` uses streams of its own, `heddle-libfabric`
libfabric's tcp (FI_PROVIDER=tcp), with the system's library, and `heddle-libfabric-2` with that of MPICH's wheel.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "bench/compare"), str(ROOT / "tests/nodes")]

import mpis
from nodes import Nodes

SIZES = [8, 1024, 65536, 1048576]
LIBFABRIC = {"FI_PROVIDER": "tcp"}


class Runner:
    """An MPI, by which library's hydra, with which environment."""

    def __init__(self, name, mpi, environment=None):
        self.name, self.mpi, self.environment = name, mpi, environment or {}

    def compile(self):
        program = mpis.BUILD / self.mpi.name / "two_nodes"
        program.parent.mkdir(parents=True, exist_ok=True)
        command = [self.mpi.bin / "mpicc", "-O2", "-o", program, HERE / "two_nodes.c"]
        subprocess.run(command, check=True, env=self.mpi.environ())
        return program

    def command(self, program, nodes, batches):
        words = [str(program), str(batches), *map(str, SIZES)]
        hosts = ",".join(nodes.names)
        options = ["--ranks-as", "processes"] if self.mpi is mpis.HEDDLE else []
        options += ["--host" if self.mpi is mpis.HEDDLE else "-hosts", hosts, "-n", "2"]
        if self.mpi is not mpis.HEDDLE:
            options += ["-ppn", "1"]
        return nodes.command(nodes.names[0], [str(self.mpi.bin / "mpiexec"), *options, *words])

    def environ(self, nodes):
        made = {**self.mpi.environ(), **nodes.environment(), **self.environment}
        made["PATH"] = f"{mpis.MPICH.bin}:{made['PATH']}"  # hydra
        return made


def runners():
    newer = str(mpis.MPICH.bin.parent / "lib" / "mpich")
    wheel = next(iter(mpis.MPICH.bin.parent.rglob("libfabric.so.1")), None)
    if wheel is not None:
        newer = str(wheel.parent)
    ofi = {**LIBFABRIC, "MPIR_CVAR_CH4_NETMOD": "ofi"}
    intel = {**LIBFABRIC, "I_MPI_FABRICS": "ofi", "I_MPI_OFI_PROVIDER": "tcp", "I_MPI_HYDRA_BOOTSTRAP": "ssh",
             "I_MPI_HYDRA_BOOTSTRAP_EXEC": str(ROOT / "tests/nodes/agent.sh")}
    return [Runner("heddle", mpis.HEDDLE), Runner("heddle-libfabric", mpis.HEDDLE, LIBFABRIC),
            Runner("heddle-libfabric-2", mpis.HEDDLE, {**LIBFABRIC, "LD_LIBRARY_PATH": newer}),
            Runner("mpich", mpis.MPICH, ofi), Runner("impi", mpis.INTEL, intel)]


def measure(runner, program, nodes, batches):
    done = subprocess.run(runner.command(program, nodes, batches), env=runner.environ(nodes), capture_output=True,
                          text=True, timeout=300)
    rows = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] in ("latency", "window", "put", "lock_put_unlock"):
            rows[words[0], int(words[1])] = float(words[2])
    if not rows:
        print(f"{runner.name}: status {done.returncode}: {done.stdout[-300:]}{done.stderr[-500:]}", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batches", type=int, default=11)
    parser.add_argument("--only", nargs="*", default=[])
    wanted = parser.parse_args()
    mpis.MPICH.install()  # its hydra starts all
    chosen = [each for each in runners() if not wanted.only or each.name in wanted.only]
    programs = {}
    for each in chosen:
        each.mpi.install()
        programs[each.name] = each.compile()
    came = {}
    with Nodes(2) as nodes:
        for turn in range(wanted.rounds):
            for each in chosen:
                for row, value in measure(each, programs[each.name], nodes, wanted.batches).items():
                    came.setdefault(row, {}).setdefault(each.name, []).append(value)
            print(f"round {turn + 1} of {wanted.rounds}", flush=True)
    peers = [each.name for each in chosen if each.mpi is not mpis.HEDDLE]
    print("| | " + " | ".join(each.name for each in chosen) + " | best / heddle |")
    print("|---|" + "---:|" * (len(chosen) + 1))
    for (what, size), by_name in sorted(came.items()):
        medians = {name: statistics.median(values) for name, values in by_name.items()}
        best = min((medians[name] for name in peers if name in medians), default=None)
        share = f"{best / medians['heddle']:.2f}" if best and "heddle" in medians else ""
        cells = " | ".join(f"{medians[each.name]:.2f}" if each.name in medians else "" for each in chosen)
        print(f"| {what}, {size} bytes | {cells} | {share} |")


if __name__ == "__main__":
    main()
