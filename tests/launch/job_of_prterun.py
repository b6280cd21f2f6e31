"""job_of_prterun.py STATUS COMMAND... — runs a job of prterun that must end with STATUS, and again where prterun itself has failed.

PRRTE of Open MPI 5.0.11 fails now and then, mostly on a loaded machine. At the end of a failed job it hangs: no rank is left, and
prterun waits for a lock of its own, deaf to SIGTERM, or for its daemon. Or it crashes; or its PMIx cannot read a message of its own.
A job that hangs with ranks is ours to mend, and fails here.
"""
import os
import pathlib
import signal
import subprocess
import sys

TRIES = 5
LONGEST = 60  # s


def ranks_left():
    """Processes that work in this folder, and run a program that lies in it or are hosts of ranks."""
    left = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            name, folder = (process / "comm").read_text().strip(), os.readlink(process / "cwd")
        except OSError:  # it has ended
            continue
        if folder == os.getcwd() and (name == "heddle-host" or pathlib.Path(name).exists()):
            left.append(name)
    return left


def main():
    wanted, words = int(sys.argv[1]), sys.argv[2:]
    status, said = 1, ""
    for _ in range(TRIES):
        job = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
        try:
            said = job.communicate(timeout=LONGEST)[1]
        except subprocess.TimeoutExpired:
            left = ranks_left()
            os.killpg(job.pid, signal.SIGKILL)
            said = job.communicate()[1]
            if left:
                sys.exit(f"{said}it hangs, with {', '.join(left)}")
            continue
        status = job.returncode if job.returncode >= 0 else 128 - job.returncode
        if status == wanted or (status != 128 + signal.SIGSEGV and "PMIX ERROR" not in said):
            break
    sys.stderr.write(said)
    sys.exit(status)


main()
