"""Real programs that check themselves: fetched as their authors publish them, built with our mpicc, run.

Nothing of them is part of this repository. Each program is a module here with NAME, build() and run().
"""
import argparse
import pathlib
import sys

import hpcc

PROGRAMS = {"hpcc": hpcc}


def main():
    parser = argparse.ArgumentParser(prog="./dev acceptance", description=__doc__)
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--prefix", default="build/release", help="where bin/mpicc is")
    parser.add_argument("--work", default="build/acceptance", help="where it is fetched and built")
    parser.add_argument("--ranks", default="2,4,16,64", help="numbers of ranks to run it with")
    parser.add_argument("--small", action="store_true", help="smaller problems, for CI")
    options = parser.parse_args()

    program = PROGRAMS[options.program]
    work = pathlib.Path(options.work, options.program).resolve()
    prefix = pathlib.Path(options.prefix).resolve()
    executable = program.build(work, prefix)
    failed = False
    for ranks in map(int, options.ranks.split(",")):
        complaints = program.run(executable, work / f"{ranks}-ranks", prefix, ranks, options.small)
        print(f"{options.program}, {ranks} ranks: {'FAILED' if complaints else 'passed'}", flush=True)
        for complaint in complaints:
            print(f"  {complaint}", flush=True)
        failed |= bool(complaints)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
