"""Starts jobs in process groups of their own and ends them."""
import os
import signal
import subprocess
import tempfile


def start(command, environ, stdout):
    return subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL, stdout=stdout,
                            stderr=subprocess.STDOUT, text=True, start_new_session=True)


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


def run(command, environ, timeout):
    """What it printed, also when it was ended, and its status, or None when the time was up."""
    with tempfile.TemporaryFile("w+") as output:
        job = start(command, environ, output)
        try:
            status = job.wait(timeout=timeout)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if job.poll() is None:
                end_group(job)
        output.seek(0)
        return output.read(), status
