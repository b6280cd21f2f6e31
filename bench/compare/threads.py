"""./dev bench threads: the multithreaded suite (bench/threads) with Heddle, MPICH, Open MPI and Intel
MPI, their variants beside them, all in turns; writes a page with figures into results/.
"""
import argparse
import pathlib
import subprocess
import sys

import mpis

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "threads"))
import libraries  # noqa: E402
import run  # noqa: E402

NAMES = {"heddle": "Heddle", "mpich": "MPICH", "openmpi": "Open MPI", "impi": "Intel MPI"}
LIFETIMES = ("atomic", "predefined", "collector", "none")
KINDS_OF_THREADS = ("ult", "kernel")
OBJECTS = ("object_churn", "neighbor_rate")  # where lifetimes matter


def library(mpi, variant="", benches=(), threaded=False, **more):
    def filled(variables):
        return {name: text.format(venv=mpi.bin.parent) for name, text in variables.items()}
    return libraries.Library(NAMES[mpi.name], mpi.bin, variant, tuple(mpi.flags),
                             {**filled(mpi.environment), **more}, filled(mpi.crowded), benches, threaded)


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


def installed(mpi, quick):
    """Its variants, or none if it could not be fetched."""
    try:
        mpi.install()
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"{NAMES[mpi.name]} could not be installed: {problem}; the others go on", flush=True)
        return []
    return list(variants(mpi, quick))


def main():
    parser = argparse.ArgumentParser(prog="./dev bench threads", description=__doc__)
    parser.add_argument("--mpis", default=",".join(mpis.BY_NAME), help="default: %(default)s")
    run.add_options(parser)
    options = parser.parse_args()
    names = options.mpis.split(",")
    for name in names:
        if name not in mpis.BY_NAME:
            parser.error(f"there is no '{name}'; there are {', '.join(mpis.BY_NAME)}")
    try:
        planned = run.chosen_runs(options)
        chosen = [library for name in names for library in installed(mpis.BY_NAME[name], options.quick)]
        return run.run_all(libraries.check(chosen), planned, options, mpis.BUILD / "threads",
                           mpis.ROOT / "results")
    except libraries.Mistake as mistake:
        parser.error(str(mistake))


if __name__ == "__main__":
    sys.exit(main())
