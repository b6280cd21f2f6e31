"""[channels] Dózsa et al.: Enabling Concurrent Multithreaded MPI Communication on Multicore Petascale Systems (EuroMPI 2010).

The Neighbor Message Rate between processes of one machine, through shared memory: by src/net/channel alone (bench/net) with one channel for all
threads or one for each, and by MPI, where a process has a channel a worker. "0 threads" is MPI_THREAD_SINGLE.
"""
from frame import BARE, Figure, Run, of_suite, of_word

ONE = "one channel, no MPI"
PAPER = {"many channels by one, MPI": {4: 3.6}}


def native(machine, threads, channels, line):
    return Run(line, "bench/net/channel_rate", of_word("rate", threads, 1e-6), words=f"--threads {threads} --channels {channels} "
               f"--seconds {machine.seconds}", strands=2 * threads, library=BARE, timed=False)


def rate(machine):
    runs = [Run("a channel a worker, MPI", "neighbor_rate", of_suite("message rate", 0, 1e-6), 2, "--mode processes --threads 1",
                "--processes 2 --workers 1")]
    for threads in machine.counts(4):
        runs.append(Run("a channel a worker, MPI", "neighbor_rate", of_suite("message rate", "threads", 1e-6), threads + 1,
                        f"--threads {threads}", f"--processes {threads + 1} --workers {min(threads, machine.cores)}", strands=2 * threads))
        runs.append(native(machine, threads, 1, ONE))
        runs.append(native(machine, threads, threads, "a channel a thread, no MPI"))
    return Figure("channels/rate", "Neighbor Message Rate by channels, shared memory", "figures 2 and 3",
                  "many channels give 3.6 times the rate of one with 4 threads, and each thread 10 % less than linear; without MPI the rate is "
                  "higher", "threads (0: MPI_THREAD_SINGLE)", "million messages a second", runs, relative_to=ONE, paper=PAPER,
                  paper_is="relative", remarks=machine.remarks(max(run.crowd for run in runs)))


def figures(machine):
    return [rate(machine)]
