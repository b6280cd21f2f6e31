"""[channels] Dózsa et al.: Enabling Concurrent Multithreaded MPI Communication on Multicore Petascale Systems (EuroMPI 2010).

The Neighbor Message Rate between processes: one channel for all threads of a process, or one for each, by MPI and by src/net/channel alone
(bench/net), and over tcp by libfabric alone; and, as the paper's base, one lock around all calls of a process. "0 threads" is MPI_THREAD_SINGLE, whose one thread has one channel. Processes of one machine
talk through shared memory, and by tcp over loopback.

What two cores cannot show is computed: bench/net/channel_model runs the code of src/net/channel in virtual time, each thread on a core
of its own. Its figures are the same on every machine.
"""
from frame import BARE, Figure, Run, of_suite, of_word

WAYS = {"shared memory": (), "tcp": (("HEDDLE_NETWORK", "everywhere"), ("FI_PROVIDER", "tcp"))}
PAPER = {"a channel a thread, MPI": {4: 3.6}}  # relative to one lock around all calls (the stack before)
WAYS_OF_MODEL = {"one lock around all calls": "--way lock", "one channel": "--way hash --channels 1", "a channel a thread": "--way hash",
                 "endpoints": "--way own", "sent by the own channel, received by the hash": "--way apart"}


def by_mpi(machine, way, threads, channels, line, program="neighbor_rate"):
    """Each rank a process with as many workers as it has threads."""
    environment = (*WAYS[way], ("HEDDLE_CHANNELS", str(channels)))
    options = f"--processes {threads + 1} --workers {min(threads, machine.cores)}"
    return Run(line, program, of_suite("message rate", "threads", 1e-6), threads + 1, f"--threads {threads}", options,
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
        runs.append(by_mpi(machine, way, threads, 1, "one lock, MPI", "neighbor_rate_one_lock"))
        runs.append(by_mpi(machine, way, threads, 1, "one channel, MPI"))
        runs.append(by_mpi(machine, way, threads, threads, "a channel a thread, MPI"))
        runs.append(bare(machine, way, threads, 1, "one channel, no MPI"))
        runs.append(bare(machine, way, threads, threads, "a channel a thread, no MPI"))
        if way == "tcp":
            runs.append(native(machine, way, threads, "an endpoint a thread, libfabric alone"))
    return Figure(f"channels/{name}", f"Neighbor Message Rate by channels, {way}", "figures 2 and 3",
                  "many channels give 3.6 times the rate of one with 4 threads, and each thread 10 % less than linear; without MPI the rate is "
                  "higher", "threads (0: MPI_THREAD_SINGLE)", "million messages a second", runs, relative_to="one lock, MPI", paper=PAPER,
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


def modelled(line, words, threads, channels, word, place):
    words = words if "--channels" in words else f"{words} --channels {channels}"
    return Run(line, "bench/net/channel_model", of_word(word, place), words=f"{words} --threads {threads}", library=BARE, timed=False)


def threads_of_model(machine):
    return (1, 4) if machine.quick else (1, 2, 3, 4, 8, 16)


def by_ways(machine, word):
    return [modelled(line, words, threads, threads, word, threads) for threads in threads_of_model(machine)
            for line, words in WAYS_OF_MODEL.items()]


COMPUTED = ["computed in virtual time by the code of src/net/channel, a core for each thread: the same on every machine",
            "instructions of a message were counted; that a line of another core costs 200 is a guess"]


def model(machine):
    return Figure("channels/model", "Neighbor Message Rate with a core for each thread", "figure 2 and the endpoints of 3.2",
                  "many channels give 3.6 times the rate of one lock with 4 threads; endpoints are expected to give more", "threads",
                  "messages in 1000 instructions", by_ways(machine, "rate"), relative_to="one lock around all calls",
                  paper={"a channel a thread": {4: 3.6}}, paper_is="relative", remarks=COMPUTED, counted=True)


def loss(machine):
    return Figure("channels/loss", "the share of linear scaling, with a core for each thread", "figure 2 and section 4",
                  "each thread costs 10 % of linear scaling; with one lock the rate falls", "threads", "of linear scaling",
                  by_ways(machine, "linear"), remarks=COMPUTED, counted=True)


def by_number(machine, word):
    return [modelled(f"{threads} threads", "", threads, channels, word, channels) for threads in ((4,) if machine.quick else (4, 8, 16))
            for channels in ((1, 4) if machine.quick else (1, 2, 4, 8, 16, 32))]


def notes(machine):
    return Figure("channels/notes", "messages left to the thread that has the channel's lock", "2.2 and 3.1: what locks cost",
                  "a lock serializes its threads, so there are several channels", "channels", "of 1000 messages", by_number(machine, "left"),
                  better="less", remarks=[*COMPUTED, "a message that is left is a failed attempt to lock, and a note"], counted=True)


def number(machine):
    return Figure("channels/number", "the rate by the number of channels, with a core for each thread", "3.1: as many channels as threads",
                  "4 channels for 4 threads", "channels", "messages in 1000 instructions", by_number(machine, "rate"), remarks=COMPUTED, counted=True)


def figures(machine):
    return [rate(machine, "rate", "shared memory"), rate(machine, "tcp", "tcp"), looks(machine), model(machine), loss(machine),
            notes(machine), number(machine)]
