"""Two nodes whose wires delay each packet by 20 ms and lose 1 of 100: all messages arrive, and they are what was sent."""
import os
import pathlib
import shlex
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))

import wheels
from nodes import Nodes
from table import Bench

MILLISECONDS, PERCENT = 10, 1  # between two nodes a packet passes two wires


def main():
    bench = Bench(sys.argv)
    folder = str(wheels.fetch("mpich"))
    bench.compile("numbered")
    preload = shlex.join(bench.before_programs)
    bench.before_programs = []
    with Nodes(2, wire=(MILLISECONDS, PERCENT / 2)) as nodes:
        os.environ.update(nodes.environment())
        os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
        for kind, ranks, before in (("", 2, ""), ("--ranks-as processes", 4, preload)):
            line = f"{kind} --host {','.join(nodes.names)} -n {ranks} {before} ./numbered"
            words = nodes.command(nodes.names[0], [str(bench.bin / "mpiexec"), *shlex.split(line)])
            begin = time.monotonic()
            bench.check((f"all messages arrive {kind}", shlex.join(words), 0, r"\Aok\n\Z", r"^mpiexec: hydra"))
            print(f"  {time.monotonic() - begin:.1f} s", flush=True)
        came, lost = nodes.packets()
        bench.report("the wires have lost packets", [] if lost > 0 else [f"{lost} of {came} packets"])
        print(f"  {lost} of {came} packets")
    bench.done()


main()
