"""mpiexec --timeout and MPIEXEC_TIMEOUT: a job that does not end says where each rank is, and ends with MPICH's status."""
import sys

from table import Bench

STATUS = 255
SAYS = r"the job has not ended after 1 seconds \(--timeout, MPIEXEC_TIMEOUT\):\n"
WAITS = r"  rank 0 in MPI_Recv waits for a message from rank 1 with tag 7 \(communicator 1\), called by main \(late\.c:\d+\)\n"
COMPUTES = r"  rank 1 runs, called by compute \(late\.c:\d+\)\n"
SLEEPS = r"  rank 2 (runs|does not answer: it waits outside of MPI, or for its turn)[^\n]*\n"
PROBES = r"  rank 3 (in MPI_Iprobe )?runs, called by probe \(late\.c:\d+\)\n"
ENDS = r"  rank 4 in MPI_Finalize waits for [^\n]*, called by main \(late\.c:\d+\)\n"
# What the kernel says of a process that does not answer.
PROCESSES = (WAITS + r"(    [^\n]*\n)*  rank 1 runs \(process \d+\)\n  rank 2 waits (in \w+|outside of MPI) \(process \d+\)\n"
             r"  rank 3 (runs|waits)[^\n]*\(process \d+\)\n  rank 4 in MPI_Finalize waits for")


def main():
    bench = Bench(sys.argv)
    bench.compile("late")
    for options in ("--workers 2", "--workers 5", "--processes 2", "--processes 3 --workers 2"):
        said = r"\A(mpiexec: )?" + SAYS + WAITS + COMPUTES + SLEEPS + PROBES + ENDS + r"\Z"
        bench.check((f"ranks are threads, {options}", f"mpiexec --timeout 1 -n 5 {options} ./late", STATUS, None, said))
    before = " ".join(bench.before_programs)
    bench.check(("ranks are processes", f"mpiexec --timeout 1 -n 5 --ranks-as processes {before} ./late", STATUS, None,
                 r"\Ampiexec: " + SAYS + PROCESSES))
    bench.check(("also where no deadlock is looked for", f"mpiexec --no-deadlock-check --timeout 1 -n 5 --ranks-as processes {before} ./late",
                 STATUS, None, r"\Ampiexec: " + SAYS + PROCESSES))
    bench.check(("the variable says the same", "mpiexec -n 2 ./late", STATUS, None, SAYS, {"env": {"MPIEXEC_TIMEOUT": "1"}}))
    bench.check(("the option wins", "mpiexec --timeout 1 -n 2 ./late", STATUS, None, SAYS, {"env": {"MPIEXEC_TIMEOUT": "1000"}}))
    for options in ("", "--processes 2", f"--ranks-as processes {before}"):
        bench.check((f"a job that ends in time, {options}", f"mpiexec --timeout 1000 -n 4 {options} ./late end", 0, r"\Adone\n\Z", None))
    for value in ("0", "-1"):
        bench.check((f"{value} is no limit", "mpiexec -n 2 ./late end", 0, r"\Adone\n\Z", None, {"env": {"MPIEXEC_TIMEOUT": value}}))
    bench.check(("a word is refused", "mpiexec -n 2 ./late end", 2, None, "MPIEXEC_TIMEOUT is 'soon', but must be a whole number of seconds",
                 {"env": {"MPIEXEC_TIMEOUT": "soon"}}))
    bench.done()


main()
