#!/usr/bin/env python3
"""How many instructions a call through each interface of Fortran costs more than the same call in C: `calls` under callgrind.

As bench/p2p/instructions.py: two lengths, and the difference. The numbers are the same on every machine and on a busy one.
The loop is in them, with the passing of arguments.

  bench/fortran/instructions.py                   build/release
  bench/fortran/instructions.py --prefix DIR --only sendrecv,iprobe
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "p2p"))
from instructions import costs_of  # noqa: E402

CALLS = {  # calls in an iteration
    "rank": 1, "rank_of_own": 1, "type_size": 1, "barrier": 1, "iprobe": 1, "iprobe_of_own": 1, "allreduce": 1, "allreduce_of_own": 1,
    "sendrecv": 1, "sendrecv_of_own": 1, "irecv_send_wait": 3, "waitall_of_8": 9}
INTERFACES = ("MPIF_H", "MPI", "MPI_F08")
FEW, MANY = 1000, 41000


def cost(prefix, program, what, directory):
    totals = []
    for times in (FEW, MANY):
        out = os.path.join(directory, f"{what}.{times}")
        subprocess.run(["valgrind", "--tool=callgrind", "--trace-children=yes", f"--callgrind-out-file={out}", f"{prefix}/bin/mpiexec",
                        "--workers", "1", "-n", "1", program, what, str(times)],
                       check=True, env=dict(os.environ, HEDDLE_TIME_SLICE="0"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        totals.append(sum(costs_of(out).values()))
    return (totals[1] - totals[0]) / (MANY - FEW)


def compile_all(prefix, directory):
    programs = {"C": os.path.join(directory, "calls_c")}
    subprocess.run([f"{prefix}/bin/mpicc", "-O2", "-o", programs["C"], HERE / "calls.c"], check=True)
    for interface in INTERFACES:
        programs[interface] = os.path.join(directory, f"calls_{interface}")
        subprocess.run([f"{prefix}/bin/mpifort", "-O2", "-w", "-fallow-argument-mismatch", f"-D{interface}", "-o", programs[interface],
                        HERE / "calls.F90"], check=True)
    return programs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default="build/release")
    parser.add_argument("--only", default=",".join(CALLS))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        programs = compile_all(arguments.prefix, directory)
        print(f"{'a call, on average':20}{'C':>8}" + "".join(f"{interface:>10}" for interface in INTERFACES) + "   more than in C")
        for what in arguments.only.split(","):
            found = {name: cost(arguments.prefix, program, what, directory) / CALLS[what] for name, program in programs.items()}
            print(f"{what:20}{found['C']:8.1f}" + "".join(f"{found[i] - found['C']:10.1f}" for i in INTERFACES), flush=True)


if __name__ == "__main__":
    main()
