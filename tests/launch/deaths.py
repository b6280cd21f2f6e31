"""Processes of a job are killed at random moments: the job ends, not with 0, and nothing is left of it.

HEDDLE_TEST_DEATHS=FIRST:COUNT chooses the seeds; a failing one is printed. As root it runs with a /tmp and a /dev/shm of its own, and
looks for files there.
"""
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import time
import uuid

import wheels
from table import Bench

FOLDERS = ("/tmp", "/dev/shm")
OWN = "HEDDLE_TEST_OWN_FOLDERS"
LONGEST = 60  # seconds: far more than any of it takes
OVER_TCP = {"HEDDLE_NETWORK": "everywhere", "FI_TCP_IFACE": "lo"}
JOBS = [
    ("threads", "-n 4"),
    ("ranks as processes", "--ranks-as processes -n 4"),
    ("several processes", "--processes 2 -n 4"),
    ("more of them", "--processes 3 -n 5"),
    ("ranks as processes over tcp", "--ranks-as processes -n 3"),
    ("several processes over tcp", "--processes 2 -n 4"),
]
UNDER_HYDRA = [
    ("ranks as processes under hydra", "--launcher hydra --host localhost --ranks-as processes -n 3"),
    ("several processes under hydra", "--launcher hydra --host localhost --processes 2 -n 4"),
]


def own_folders_by(kept):
    """A shell's words: empty file systems over FOLDERS. What is `kept` shows through, as where the clone lies below /tmp."""
    staged = [(path, f"{FOLDERS[-1]}/kept-{i}") for i, path in enumerate(kept)]
    lines = [f"mount -t tmpfs none {FOLDERS[-1]}",
             *[f"mkdir {stage} && mount --bind {shlex.quote(path)} {stage}" for path, stage in staged],
             *[f"mount -t tmpfs none {folder}" for folder in FOLDERS[:-1]],
             *[f"mkdir -p {shlex.quote(path)} && mount --move {stage} {shlex.quote(path)} && rmdir {stage}" for path, stage in staged],
             f"cd {shlex.quote(os.getcwd())}", 'exec "$0" "$@"']
    return " && ".join(lines)


def below_folders(paths):
    """Those of the paths that lie in FOLDERS, the outermost alone."""
    found = {str(path.resolve()) for path in paths if any(str(path.resolve()).startswith(folder + "/") for folder in FOLDERS)}
    return sorted(path for path in found if not any(path.startswith(other + "/") for other in found))


def have_own_folders():
    """Begins again with folders that no other program uses, if it may."""
    if os.environ.get(OWN) is not None:
        return os.environ[OWN] == "1"
    work = pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    kept = below_folders([pathlib.Path(__file__).parents[2], pathlib.Path(sys.argv[1]).parent, work, pathlib.Path(sys.executable).parent])
    script = own_folders_by(kept)
    probe = subprocess.run(["unshare", "--mount", "sh", "-c", script, "true"], capture_output=True, check=False)
    wrap, own = (["unshare", "--mount", "sh", "-c", script], "1") if probe.returncode == 0 else ([], "0")
    words = [*wrap, sys.executable, *sys.argv]
    os.execvpe(words[0], words, {**os.environ, OWN: own})
    return False


def files_in_folders():
    return {str(file) for folder in FOLDERS for file in pathlib.Path(folder).iterdir()}


def processes_of(mark):
    """All that have inherited it, the dead that no parent has asked for among them."""
    found = []
    for each in pathlib.Path("/proc").iterdir():
        try:
            if each.name.isdigit() and mark in (each / "environ").read_bytes():
                found.append(int(each.name))
        except OSError:
            pass
    return found


def await_end(mark):
    end = time.monotonic() + LONGEST
    while (left := processes_of(mark)) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def name_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return "?"


def run(bench, jobs, seed, environment, own_folders):
    choose = random.Random(seed)
    shows, line = jobs[seed % len(jobs)]
    mark = uuid.uuid4().hex.encode()
    files_before = files_in_folders() if own_folders else set()
    started = time.monotonic()
    moment = choose.choice((choose.uniform(0, 0.02), choose.uniform(0, 0.3)))
    after_ready = choose.random() < 0.5
    before = bench.before_programs if "--ranks-as" in line else []
    job = subprocess.Popen([str(bench.bin / "mpiexec"), *line.split(), *before, "./busy"], cwd=bench.work,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                           env={**environment, **(OVER_TCP if "tcp" in shows else {}), "HEDDLE_TEST_MARK": mark.decode()})
    wrong = []
    if after_ready and job.stdout.readline() != b"ready\n":
        wrong.append("it did not start")
    time.sleep(moment)
    candidates = sorted(each for each in processes_of(mark) if name_of(each) not in ("hydra_pmi_proxy", "mpiexec.hydra"))
    victim = choose.choice(candidates) if candidates else job.pid
    name = name_of(victim)
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        output = job.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        wrong.append("the job goes on")
        output = ()
    if job.returncode == 0:
        wrong.append("the job ended well")
    left = await_end(mark)
    wrong += [f"process {each} ({name_of(each)}) is left" for each in left]
    for each in left:
        os.kill(each, signal.SIGKILL)
    if own_folders:
        wrong += [f"{file} is left" for file in files_in_folders() - files_before]
    bench.report(f"seed {seed}: {shows}, {name} killed {'after its start ' if after_ready else ''}in {moment * 1000:.1f} ms, over in "
                 f"{time.monotonic() - started:.1f} s", wrong, "\n".join(each.decode(errors="replace") for each in output))


def main():
    own_folders = have_own_folders()
    bench = Bench(sys.argv)
    bench.compile("busy")
    try:
        environment, jobs = {**os.environ, "PATH": f"{wheels.fetch('mpich')}:{os.environ['PATH']}"}, [*JOBS, *UNDER_HYDRA]
    except SystemExit:
        environment, jobs = os.environ, JOBS
    first, count = map(int, os.environ.get("HEDDLE_TEST_DEATHS", "0:12").split(":"))
    for seed in range(first, first + count):
        run(bench, jobs, seed, environment, own_folders)
    bench.done()


if __name__ == "__main__":
    main()
