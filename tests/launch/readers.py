"""A job ends also where nobody reads what it prints, says why on the standard error, and loses nothing of what is
read slowly."""
import fcntl
import os
import re
import signal
import subprocess
import sys
import time

from table import Bench

PAGE = 4096
LATEST = 60  # seconds; it gives up after about four, and ten more where a crash cannot be told


class FullPipe:
    """A pipe that takes no more until somebody reads."""

    def __init__(self):
        self.reader, self.writer = os.pipe()
        fcntl.fcntl(self.writer, fcntl.F_SETPIPE_SZ, PAGE)
        os.set_blocking(self.writer, False)
        try:
            while True:
                os.write(self.writer, b"-" * PAGE)
        except BlockingIOError:
            os.set_blocking(self.writer, True)

    def close(self):
        os.close(self.reader)
        os.close(self.writer)


def end(bench, what, line, status, sentence=None, request=None):
    """With a sentence only the standard output is a full pipe, without one the standard error as well."""
    full = FullPipe()
    with open(bench.work / "stderr", "w+", encoding="utf-8") as errors:
        job = subprocess.Popen(bench.command(line), cwd=bench.work, stdin=subprocess.DEVNULL, stdout=full.writer,
                               stderr=errors if sentence else full.writer)
        wrong = []
        if request:
            time.sleep(2)  # most likely it waits for the pipe by now; if not, the test passes all the same
            job.send_signal(request)
        try:
            job.wait(timeout=LATEST)
        except subprocess.TimeoutExpired:
            job.kill()
            job.wait()
            wrong.append("it went on")
        if job.returncode != status and 128 - job.returncode != status:
            wrong.append(f"exit status {job.returncode}, not {status}")
        errors.seek(0)
        text = errors.read()
        if sentence and not re.search(sentence, text, re.DOTALL):
            wrong.append(f"stderr does not match {sentence!r}")
    full.close()
    bench.report(what, wrong, text)


def read_slowly(bench, what, stops):
    """Stops the job several times for longer than it waits for readers, as a machine may that stands still."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PAGE)
    job = subprocess.Popen(bench.command("mpiexec -n 1 ./flood line"), cwd=bench.work, stdin=subprocess.DEVNULL,
                           stdout=writer, stderr=subprocess.DEVNULL, start_new_session=True)
    os.close(writer)
    got = b""
    while piece := os.read(reader, PAGE // 2):
        for _ in range(0 if got else stops):
            os.killpg(job.pid, signal.SIGSTOP)
            time.sleep(3)
            os.killpg(job.pid, signal.SIGCONT)
            time.sleep(0.1)
        got += piece
        time.sleep(0.2)
    os.close(reader)
    wrong = [] if got == b"x" * 60000 else [f"{len(got)} bytes, not 60000"]
    if job.wait() != 23:
        wrong.append(f"exit status {job.returncode}, not 23")
    bench.report(what, wrong)


def main():
    bench = Bench(sys.argv)
    bench.compile("leave", "flood")
    for ranks in (1, 4):
        end(bench, f"nobody reads: MPI_Abort of {ranks}", f"mpiexec -n {ranks} ./leave print 0 23", 23, r"rank 0: .*MPI_Abort")
    end(bench, "nobody reads: MPI_Abort without mpiexec", "./leave print 0 23", 23, r"MPI_Abort")
    flood = "mpiexec -n 2 --workers 2 ./flood"
    end(bench, "nobody reads: MPI_Abort while another rank waits to print", f"{flood} abort", 23, r"rank 1: .*MPI_Abort")
    end(bench, "nobody reads: a crash while another rank waits to print", f"{flood} segv", 139,
        r"rank 1 crashed.*flood\.c.*The job ends")
    end(bench, "nobody reads the output: MPI_Abort while a third rank prints on the standard error",
        "mpiexec -n 3 --workers 3 ./flood abort", 23, r"rank 1: .*MPI_Abort")
    end(bench, "nobody reads even the sentence", f"{flood} abort", 23)
    end(bench, "nor of a crash", "mpiexec -n 1 ./leave segv 0", 139)
    end(bench, "nor that it was interrupted", f"{flood} stay", 130, request=signal.SIGINT)
    read_slowly(bench, "a slow reader gets all that was printed before MPI_Abort", stops=0)
    read_slowly(bench, "the same where the job is stopped meanwhile", stops=3)
    bench.done()


main()
