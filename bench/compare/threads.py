"""./dev bench threads: the multithreaded suite (bench/threads) with Heddle, MPICH, Open MPI and Intel
MPI, their variants beside them, all in turns; writes a page with figures into results/.
"""
import argparse
import functools
import pathlib
import sys

import mpis

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "threads"))
import run  # noqa: E402

NAMES = {"heddle": "Heddle", "mpich": "MPICH", "openmpi": "Open MPI", "impi": "Intel MPI"}
LIFETIMES = ("atomic", "predefined", "collector", "none")
KINDS_OF_THREADS = ("ult", "kernel")
OBJECTS = ("object_churn", "neighbor_rate")  # where lifetimes matter


def environ(mpi, more, strands):
    return {**mpi.environ(strands), **more}


def library(mpi, variant="", benches=(), threaded=False, **more):
    return run.Library(NAMES[mpi.name], mpi.bin, functools.partial(environ, mpi, more), tuple(mpi.flags),
                       variant, benches, threaded)


def variants(mpi, quick):
    yield library(mpi)
    if mpi is mpis.MPICH:
        yield library(mpi, "4 VCIs", threaded=True, MPIR_CVAR_CH4_NUM_VCIS="4")
    if mpi is not mpis.HEDDLE:
        return
    for policy in LIFETIMES:
        benches = OBJECTS[:1] if quick else OBJECTS
        yield library(mpi, f"lifetime {policy}", benches, HEDDLE_LIFETIME=policy)
    for kind in () if quick else KINDS_OF_THREADS:
        yield library(mpi, f"{kind} threads", threaded=True, HEDDLE_POSIX_THREADS=kind)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench threads", description=__doc__)
    parser.add_argument("--mpis", default=",".join(mpis.BY_NAME), help="default: %(default)s")
    run.add_options(parser)
    options = parser.parse_args()
    names = options.mpis.split(",")
    for name in names:
        if name not in mpis.BY_NAME:
            parser.error(f"there is no '{name}'; there are {', '.join(mpis.BY_NAME)}")
    planned = run.chosen_runs(parser, options)
    chosen = [mpis.BY_NAME[name] for name in names]
    for mpi in chosen:
        mpi.install()
    run.run_all([v for mpi in chosen for v in variants(mpi, options.quick)], planned, options,
                mpis.BUILD / "threads", mpis.ROOT / "results")


if __name__ == "__main__":
    main()
