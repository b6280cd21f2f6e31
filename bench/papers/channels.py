"""[channels] Dózsa et al.: Enabling Concurrent Multithreaded MPI Communication on Multicore Petascale Systems (EuroMPI 2010).

The Neighbor Message Rate between processes: one channel for all threads of a process, or one for each, by MPI and by src/net/channel alone
(bench/net), and over tcp by libfabric alone. "0 threads" is MPI_THREAD_SINGLE, whose one thread has one channel. Processes of one machine
talk through shared memory, and by tcp over loopback.
"""
from frame import BARE, Figure, Run, of_suite, of_word

WAYS = {"shared memory": (), "tcp": (("HEDDLE_NETWORK", "everywhere"), ("FI_PROVIDER", "tcp"))}
PAPER = {"a channel a thread, MPI": {4: 3.6}}  # relative to one channel (the stack before, under one lock)


def by_mpi(machine, way, threads, channels, line):
    """Each rank a process with as many workers as it has threads."""
    environment = (*WAYS[way], ("HEDDLE_CHANNELS", str(channels)))
    options = f"--processes {threads + 1} --workers {min(threads, machine.cores)}"
    return Run(line, "neighbor_rate", of_suite("message rate", "threads", 1e-6), threads + 1, f"--threads {threads}", options,
               environment, 2 * threads)


def single(way, line):
    environment = (*WAYS[way], ("HEDDLE_CHANNELS", "1"))
    return Run(line, "neighbor_rate", of_suite("message rate", 0, 1e-6), 2, "--mode processes --threads 1", "--processes 2 --workers 1", environment, 2)


def native(machine, way, threads, line):
    """At libfabric's own interface, of the same version as the library's."""
    return Run(line, "bench/net/fabric_rate", of_word("rate", threads, 1e-6), words=f"--threads {threads} --seconds {machine.seconds}",
               environment=WAYS[way], strands=2 * threads, library=BARE, timed=False)


def bare(machine, way, threads, channels, line):
    """src/net/channel alone."""
    network = "libfabric" if way == "tcp" else "shm"
    words = f"--threads {threads} --channels {channels} --network {network} --seconds {machine.seconds}"
    return Run(line, "bench/net/channel_rate", of_word("rate", threads, 1e-6), words=words, environment=WAYS[way], strands=2 * threads,
               library=BARE, timed=False)


def rate(machine, name, way):
    counts = machine.counts(4)
    runs = [single(way, "one channel, MPI")]
    for threads in counts:
        runs.append(by_mpi(machine, way, threads, 1, "one channel, MPI"))
        runs.append(by_mpi(machine, way, threads, threads, "a channel a thread, MPI"))
        runs.append(bare(machine, way, threads, 1, "one channel, no MPI"))
        runs.append(bare(machine, way, threads, threads, "a channel a thread, no MPI"))
        if way == "tcp":
            runs.append(native(machine, way, threads, "an endpoint a thread, libfabric alone"))
    return Figure(f"channels/{name}", f"Neighbor Message Rate by channels, {way}", "figures 2 and 3",
                  "many channels give 3.6 times the rate of one with 4 threads, and each thread 10 % less than linear; without MPI the rate is "
                  "higher", "threads (0: MPI_THREAD_SINGLE)", "million messages a second", runs, relative_to="one channel, MPI", paper=PAPER,
                  paper_is="relative", remarks=machine.remarks(max(run.crowd for run in runs)))


def looks(machine):
    every = (1, 8, 1024) if machine.quick else (1, 2, 4, 8, 16, 64, 1024)
    threads = min(4, max(2, machine.cores))
    runs = [Run(way, "neighbor_rate", of_suite("message rate", n, 1e-6), threads + 1, f"--threads {threads}",
                f"--processes {threads + 1} --workers {min(threads, machine.cores)}",
                (*WAYS[way], ("HEDDLE_CHANNELS", str(threads)), ("HEDDLE_CHANNEL_LOOKS", str(n))), 2 * threads)
            for n in every for way in WAYS]
    return Figure("channels/looks", f"each n-th look at all channels, {threads} threads and as many channels", "3.1, the parameter n",
                  "n is not given", "n", "million messages a second", runs, remarks=machine.remarks(2 * threads))


def figures(machine):
    return [rate(machine, "rate", "shared memory"), rate(machine, "tcp", "tcp"), looks(machine)]
