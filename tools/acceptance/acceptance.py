"""Real programs that check themselves: fetched as their authors publish them, built with our mpicc, run.

Nothing of them is part of this repository. Each program is a module here with add_arguments(), build() and run().
"""
import argparse
import os
import pathlib
import sys

import boost_mpi
import fftw
import hdf5
import hpcc
import hybrid
import hypre
import imb_io
import lammps
import mpi4py
import mpich
import mumps
import netcdf
import npb
import onesided
import openmp
import pnetcdf
import posix_suite
import scalapack
import slurm

PROGRAMS = {"boost": boost_mpi, "fftw": fftw, "hdf5": hdf5, "hpcc": hpcc, "hybrid": hybrid, "hypre": hypre, "imb-io": imb_io, "lammps": lammps,
            "mpi4py": mpi4py, "mpich": mpich, "mumps": mumps, "netcdf": netcdf, "npb": npb, "onesided": onesided, "openmp": openmp, "pnetcdf": pnetcdf,
            "posix": posix_suite, "scalapack": scalapack, "slurm": slurm}

INSTALLED = "build/release"
PRETENDED = "build/dev/pretended"  # its mpiexec starts jobs on pretended hosts


def main():
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--hosts", type=int, default=1,
                        help="pretended hosts; tests/support/pretended_hosts.h names variables that say how they are")
    common.add_argument("--prefix", help=f"where bin/mpicc is; {INSTALLED}, or with several hosts {PRETENDED}")
    common.add_argument("--work", default="build/acceptance", help="where it is fetched and built")
    common.add_argument("--small", action="store_true", help="smaller problems, or fewer, for CI")
    parser = argparse.ArgumentParser(prog="./dev acceptance", description=__doc__)
    commands = parser.add_subparsers(dest="program", required=True)
    for name, program in PROGRAMS.items():
        program.add_arguments(commands.add_parser(name, parents=[common], description=program.__doc__))
    options = parser.parse_args()

    program = PROGRAMS[options.program]
    work = pathlib.Path(options.work, options.program).resolve()
    prefix = pathlib.Path(options.prefix or (INSTALLED if options.hosts == 1 else PRETENDED)).resolve()
    os.environ["HEDDLE_TEST_HOSTS"] = str(options.hosts)  # only a pretending host asks for it
    built = program.build(work, prefix, options)
    failed = False
    for ranks in options.ranks.split(","):
        complaints = program.run(built, work / f"{ranks}-ranks-{options.hosts}-hosts", prefix, ranks, options)
        places = f"hosts: {options.hosts}, nodes: {getattr(options, 'nodes', 1)}"
        print(f"{options.program}, {ranks} ranks, {places}: {'FAILED' if complaints else 'passed'}", flush=True)
        for complaint in complaints:
            print(f"  {complaint}", flush=True)
        failed |= bool(complaints)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
