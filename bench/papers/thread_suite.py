"""[suite] Thakur, Gropp: Test Suite for Evaluating Performance of Multithreaded MPI Communication (Parallel Computing 2009).

The programs are those of bench/threads, with the paper's sizes; "processes" are ranks (of Heddle's threads of one process, and apart from
these as processes), "threads" those of two ranks.
"""
import sys

from frame import BARE, HEDDLE, ROOT, Figure, Run, Unreadable, of_suite, of_word, results

SIZES_OF_LATENCY = "0,8,64,256,1024"
BESIDE = ("nothing", "collectives")
NAMES = {HEDDLE: "Heddle", "mpich": "MPICH", "openmpi": "Open MPI", "impi": "Intel MPI"}
SHARES = (0, 25, 50, 75, 90, 99, 100)  # percent of the short messages


def bytes_text(value):
    for unit, size in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value and value % size == 0:
            return f"{value // size} {unit}"
    return str(value)


def pair_runs(program, quantity, counts, words="", place="size", scale=1, library=HEDDLE):
    """Pairs of processes, and of the threads of two ranks."""
    modes = [("processes", "processes", ""), ("threads", "threads", "")]
    if library == HEDDLE:
        modes.append(("ranks as processes", "processes", "--ranks-as processes"))
    for line, mode, options in modes:
        for count in counts:
            ranks = 2 if mode == "threads" else 2 * count
            where = count if place == "pairs" else place
            yield Run(f"{NAMES[library]}, {line}", program, of_suite(quantity, where, scale), ranks,
                      f"--mode {mode} --pairs {count} {words}".strip(), options, strands=2 * count, library=library)


def beside_peers(make):
    """With Heddle and with the three peers."""
    return [run for library in NAMES for run in make(library)]


def overhead(machine):
    def runs(library):
        for level in ("init", "multiple"):
            yield Run(f"{NAMES[library]}, {'MPI_Init' if level == 'init' else 'THREAD_MULTIPLE'}", "overhead",
                      of_suite("half round trip"), 2, f"--level {level} --sizes {SIZES_OF_LATENCY}", library=library)
    return Figure("suite/overhead", "what THREAD_MULTIPLE costs a program of one thread", "figures 2 and 3",
                  "MULTIPLE adds less than 0.5 us (MPICH2, Open MPI), nothing (IBM), 2.5 us (Sun)", "bytes", "half round trip in us",
                  beside_peers(runs), better="less", text=bytes_text)


def bandwidth(machine):
    size = "1M" if machine.quick else "8M"
    counts = sorted({machine.cores, 2 * machine.cores})
    return Figure("suite/bandwidth", f"bandwidth of pairs that send {size} at once, as many as cores and twice as many", "figures 5 and 6",
                  "threads as fast as processes (MPICH2), in cases less than half (Sun, IBM)", "pairs", "GB/s",
                  beside_peers(lambda library: pair_runs("bandwidth", "bandwidth", counts, f"--sizes {size}", "pairs", library=library)))


def latency(machine):
    return Figure("suite/latency", f"latency of {machine.cores} pairs at once", "figures 7 and 8",
                  "threads take about 30 us more (Linux); 10 to 16 us in place of 2 to 4 (Sun), 33 to 38 (IBM)", "bytes",
                  "half round trip in us",
                  beside_peers(lambda library: pair_runs("latency", "half round trip", [machine.cores], f"--sizes {SIZES_OF_LATENCY}", library=library)),
                  better="less", text=bytes_text)


def rate(machine):
    paper = {"MPICH2, processes": {1: 0.322892, 4: 0.637486}, "MPICH2, threads": {1: 0.290790, 4: 0.184191},
             "Sun, processes": {1: 0.762251, 4: 2.845098}, "Sun, threads": {1: 0.262239, 4: 0.465120}}
    return Figure("suite/rate", "message rate of empty messages, an answer after every 256", "tables 1 and 2",
                  "with four threads the rate falls far below that of four processes", "pairs", "million a second",
                  beside_peers(lambda library: pair_runs("message_rate", "message rate, sum of pairs", sorted({1, 4, machine.cores}), "", "pairs", 1e-6,
                                                 library)), paper=paper, paper_is="million a second, other machines")


def instructions(machine):
    script = str(ROOT / "bench/lifetime/locked.py")
    runs = [Run("Heddle", "", of_word("instructions", place), library=BARE, timed=False, wrap=(sys.executable, script, level))
            for place, level in enumerate(("single", "predefined"))]
    return Figure("suite/instructions", "what THREAD_MULTIPLE costs a program of one thread, in instructions", "figures 2 and 3",
                  "MULTIPLE costs what the locks and atomic operations of a message cost", "level", "instructions a message", runs,
                  better="less", text=lambda place: ("MPI_Init", "THREAD_MULTIPLE")[place], counted=True,
                  remarks=["counted by callgrind on one worker: empty messages, 12 receives, 12 sends, Waitall"])


def of_shares(output):
    """How long the share of the short messages takes at most, by percent."""
    lines, _ = results.split(output)
    for line in lines:
        if line["quantity"] == "each short message" and line.get("series"):
            each = sorted(line["series"])
            return {share: each[round(share / 100 * (len(each) - 1))] for share in SHARES}
    raise Unreadable("printed no 'each short message'")


def short_long(machine):
    def runs(library):
        for beside, senders, ranks, strands in (("alone", "none", 2, 2), ("beside a process", "processes", 4, 4),
                                                ("beside a thread", "threads", 3, 4)):
            yield Run(f"{NAMES[library]}, {beside}", "short_long", of_shares, ranks, f"--senders {senders} --long 4M --short 128",
                      strands=strands, library=library)
    return Figure("suite/short-long", "short messages of 128 bytes beside long ones of 4 MiB", "figures 9 and 10",
                  "the long message's cost is spread evenly over the short ones (Linux); spikes (Sun, IBM)",
                  "percent of the short messages", "us that they take at most", beside_peers(runs), better="less")


def overlap(machine):
    sizes = (16384, 262144) if machine.quick else (16384, 65536, 262144, 1048576, 4194304)

    def runs(library):
        for helper in ("none", "thread"):
            for size in sizes:
                yield Run(f"{NAMES[library]}, {'no helper' if helper == 'none' else 'a helper in MPI_Recv'}", "overlap",
                          of_suite("both"), 5, f"--helper {helper} --neighbours 4 --size {size}",
                          strands=5 if helper == "none" else 10, library=library)
        for size in sizes if library == "mpich" else ():
            yield Run("MPICH, a progress thread of its own", "overlap", of_suite("both"), 5, f"--helper none --neighbours 4 --size {size}",
                      environment=(("MPIR_CVAR_ASYNC_PROGRESS", "1"),), strands=10, library=library)
    return Figure("suite/overlap", "a step of computation and messages with four neighbours that are four other ranks", "figures 11 and 12",
                  "the helper shortens a step where MPI makes no progress by itself (MPICH2, Open MPI)", "bytes", "a step in us",
                  beside_peers(runs), better="less", text=bytes_text)


def collectives(machine):
    counts = sorted({1, 2, 4, machine.cores} if not machine.quick else {1, machine.cores})
    return Figure("suite/collectives", "MPI_Allreduce of 2 KiB on several communicators at once", "figure 13",
                  "little overhead of threads (MPICH2), more (Open MPI)", "communicators", "an allreduce in us",
                  beside_peers(lambda library: pair_runs("collectives", "allreduce", counts, "--operation allreduce --sizes 2048", "pairs",
                                                 library=library)), better="less")


def computation(machine):
    sizes = ("8", "64K") if machine.quick else ("8", "64K", "1M", "16M")

    def runs(library):
        name = NAMES[library]
        for size in sizes:
            yield Run(name, "collective_compute", of_beside(name), 2, f"--threads {machine.cores} --size {size}",
                      strands=2 * (machine.cores + 1), library=library, makes=tuple(f"{name}, beside {what}" for what in BESIDE))
    return Figure("suite/computation", f"{machine.cores} threads compute beside one in MPI_Allreduce", "figure 14",
                  "MPICH2 hides the allreduce better than Open MPI", "bytes that are reduced", "sweeps a second of a thread",
                  beside_peers(runs), text=bytes_text)


def of_beside(name):
    def read(output):
        lines, _ = results.split(output)
        found = {}
        for line in lines:
            if line["quantity"] == "computation rate":
                row = found.setdefault(f"{name}, beside {line['parameters']['beside']}", {})
                row[line["parameters"]["size"]] = line["median"]
        if not found:
            raise Unreadable("printed no 'computation rate'")
        return found
    return read


def figures(machine):
    made = [make(machine) for make in (overhead, instructions, bandwidth, latency, rate, short_long, overlap, collectives, computation)]
    for figure in made:
        figure.remarks += machine.remarks(max(run.crowd for run in figure.runs))
    return made
