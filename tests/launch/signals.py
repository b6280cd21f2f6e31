"""A job that is told to end ends at once, with all its ranks, and leaves nothing behind."""
import os
import pathlib
import signal
import subprocess
import sys

from table import Bench


def shared_files():
    """What is ours in the places where other MPIs leave things. (No other test runs beside this.)"""
    return {str(path) for folder in ("/dev/shm", "/tmp") for path in pathlib.Path(folder).iterdir()
            if "heddle" in path.name.lower()}


def group_is_empty(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def end_by(bench, what, line, number):
    before = shared_files()
    job = subprocess.Popen(bench.command(line), cwd=bench.work, text=True, start_new_session=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    wrong = []
    if job.stdout.readline() != "ready\n":
        wrong.append("it did not start")
    os.killpg(job.pid, number)  # as a terminal does
    try:
        stdout, stderr = job.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        stdout, stderr = job.communicate()
        wrong.append("it went on")
    if job.returncode not in (-number, 128 + number):
        wrong.append(f"exit status {job.returncode}, not the shell's for signal {number}")
    if not group_is_empty(job.pid):
        wrong.append("processes are left")
    if number.name not in stderr:
        wrong.append("no sentence names the signal")
    left = shared_files() - before
    if left:
        wrong.append(f"files are left: {left}")
    bench.report(what, wrong, stdout + stderr)


def tell_all(bench, what, line, number, ranks):
    job = subprocess.Popen(bench.command(line), cwd=bench.work, text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wrong = [] if job.stdout.readline() == "ready\n" else ["it did not start"]
    job.send_signal(number)
    try:
        stdout, stderr = job.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        job.kill()
        stdout, stderr = job.communicate()
        wrong.append("it did not hear of it")
    if job.returncode != 0 or stdout != "told\n" * ranks:
        wrong.append(f"exit status {job.returncode}")
    bench.report(what, wrong, stdout + stderr)


def main():
    bench = Bench(sys.argv)
    bench.compile("wait", "told")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1):
        end_by(bench, f"{number.name} ends ranks that wait", "mpiexec --no-deadlock-check -n 16 ./wait", number)
        end_by(bench, f"{number.name} ends ranks that compute", "mpiexec -n 16 ./wait spin", number)
    # Under sanitizers signals are the process's.
    for workers in () if "HEDDLE_TEST_PRELOAD" in os.environ else (1, 2):
        tell_all(bench, f"every rank hears of SIGUSR1, {workers} workers",
                 f"mpiexec -n 5 --workers {workers} ./told", signal.SIGUSR1, 5)
        tell_all(bench, f"ranks may handle SIGTERM, {workers} workers",
                 f"mpiexec -n 5 --workers {workers} ./told terminate", signal.SIGTERM, 5)
    bench.done()


main()
