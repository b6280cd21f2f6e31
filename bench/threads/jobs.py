"""Starts jobs in process groups of their own, ends them, and leaves nothing of them behind."""
import ctypes
import dataclasses
import os
import pathlib
import signal
import subprocess
import tempfile

MOST_OUTPUT = 1 << 24  # characters that are read of what a job has printed
PR_SET_CHILD_SUBREAPER = 36


@dataclasses.dataclass(frozen=True)
class Outcome:
    output: str
    status: int | None  # None: the time was up


def adopt_orphans():
    """Orphans of jobs become children of this process: their processor time counts as the job's, and
    ranks that outlive a killed mpiexec can be ended."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):  # not Linux: only groups are ended then
        pass


def start(command, environ, stdout):
    return subprocess.Popen(command, env=environ, text=True, stdin=subprocess.DEVNULL, stdout=stdout,
                            stderr=subprocess.STDOUT, start_new_session=True)


def end_group(job):
    """Ends a job that was started in a process group of its own, politely first."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(job.pid, number)
            job.wait(timeout=10)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def end_orphans():
    """Ends what a job has left behind. This process has one job at a time, so every child is an orphan."""
    try:
        left = pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    except OSError:
        left = []
    for pid in left:
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        while os.waitpid(-1, 0 if left else os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def run(command, environ, timeout=None):
    """Runs a job to its end, or ends it when the time is up or an exception comes."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        try:
            job = start(command, environ, output)
        except OSError as problem:
            return Outcome(f"{command[0]} cannot be started: {problem.strerror}", 127)
        try:
            status = job.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if job.poll() is None:
                end_group(job)
            end_orphans()
        output.seek(0)
        return Outcome(output.read(MOST_OUTPUT), status)
