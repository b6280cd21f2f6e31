"""What is run: each Run is one program with one set of options, in turn with each library."""
import dataclasses
import itertools


@dataclasses.dataclass(frozen=True)
class Run:
    bench: str
    ranks: int
    options: str = ""
    threads: int = 1  # of the rank that has most

    @property
    def key(self):
        return f"-n {self.ranks} {self.bench} {self.options}".strip()

    @property
    def strands(self):
        """What wants to run at the same time: beyond the cores, some libraries need other settings."""
        return self.ranks * self.threads


def pairs(bench, mode, count, options="", comms="shared"):
    """Pairs of processes, or of the threads of two ranks."""
    words = f"--mode {mode} --pairs {count} {options}".strip()
    if comms == "own":
        words += " --comms own"
    if mode == "threads":
        return Run(bench, 2, words, count)
    return Run(bench, 2 * count, words)


def both(bench, counts, options=""):
    return [pairs(bench, mode, count, options)
            for count in counts for mode in ("processes", "threads")]


def quick():
    runs = levels("0,1024,65536", ("single", "multiple"))
    runs += both("bandwidth", [4], "--sizes 4096,65536,1048576")
    runs += both("latency", [4], "--sizes 8,4096")
    runs += both("message_rate", [1, 4]) + [pairs("message_rate", "threads", 4, comms="own")]
    runs += short_long()
    runs += overlap(262144)
    runs += both("collectives", [4], "--operation allreduce --sizes 8,65536")
    runs += [Run("collective_compute", 2, "--threads 1 --samples 4", 2)]
    runs += neighbours("threads", [4]) + neighbours("processes", [4], ("derived",))
    runs += depths("1,100,10000", [("posted", "reversed"), ("posted", "wildcard"),
                                   ("unexpected", "random")])
    runs += churn(["comm", "type-used"], [2])
    runs += [*both("oversubscription", [8]), pairs("oversubscription", "threads", 1)]
    return by_turns(runs)


def by_turns(runs):
    """The first run of each program, then the second of each...: when the time is up, or the user
    ends it, each has some."""
    programs = {}
    for run in runs:
        programs.setdefault(run.bench, []).append(run)
    turns = itertools.zip_longest(*programs.values())
    return [run for turn in turns for run in turn if run]


def full(cores):
    """`cores`: with enough of them there are 8 pairs, too; 4 pairs are there in any case."""
    counts = (1, 2, 4, 8) if cores >= 16 else (1, 2, 4)
    runs = levels("0,8,64,1024,8192,65536,524288", ("single", "funneled", "serialized", "multiple"))
    large, small = "--sizes 1024,4096,16384,65536,262144,1048576", "--sizes 8,1024,16384"
    runs += both("bandwidth", counts, large) + both("latency", counts, small)
    runs += [pairs("bandwidth", "threads", 4, large, "own"), pairs("latency", "threads", 4, small, "own")]
    runs += both("bandwidth", [4], f"--direction both {large}")
    runs += both("bandwidth", [1], "--buffers memory --sizes 65536,262144,1048576")
    runs += both("message_rate", counts) + [pairs("message_rate", "threads", 4, comms="own")]
    runs += [pairs("message_rate", "threads", 4, "--receivers 1"),
             Run("message_rate", 2, "--mode threads --pairs 1 --receivers 4", 4)]
    runs += short_long()
    runs += overlap(262144) + overlap(1048576)
    runs += collectives(counts)
    runs += [Run("collective_compute", 2, f"--threads {threads}", 1 + threads) for threads in (1, 2)]
    runs += neighbours("threads", [1, *counts[1:], 8]) + neighbours("processes", counts)
    runs += depths("1,10,100,1000,10000,100000",
                   [(queue, order) for queue in ("posted", "unexpected")
                    for order in ("in", "reversed", "random", "wildcard")])
    runs += churn(["comm", "comm-used", "type", "type-used", "op", "group", "request"], [1, 2, 4])
    runs += both("oversubscription", [1, 2, 4, 8, 16, 32])
    return by_turns(list(dict.fromkeys(runs)))


def levels(sizes, names):
    return [Run("overhead", 2, f"--level {name} --sizes {sizes}") for name in names]


def collectives(counts):
    """Allreduce on communicators of two members each, and of four; the others on four of two each."""
    runs = both("collectives", counts, "--operation allreduce --sizes 8,1024,65536")
    runs += [Run("collectives", 4, "--mode threads --pairs 4 --operation allreduce --sizes 8,1024,65536", 4),
             Run("collectives", 8, "--mode processes --pairs 2 --operation allreduce --sizes 8,1024,65536")]
    runs += both("collectives", [4], "--operation barrier")
    for operation in ("bcast", "alltoall"):
        runs += both("collectives", [4], f"--operation {operation} --sizes 8,1024,65536")
    return runs


def short_long():
    return [Run("short_long", 2, "--senders none"), Run("short_long", 4, "--senders processes"),
            Run("short_long", 3, "--senders threads", 2)]


def overlap(size):
    return [Run("overlap", 2, f"--helper none --size {size}"),
            Run("overlap", 2, f"--helper thread --size {size}", 2)]


def neighbours(mode, counts, objects=("predefined", "derived")):
    """Threads of one rank, whose neighbours are ranks of one thread each (`threads` counts as if all had
    two); or pairs of ranks."""
    return [Run("neighbor_rate", 2 * count if mode == "processes" else count + 1,
                f"--mode {mode} --threads {count} --objects {kind}", 1 if mode == "processes" else 2)
            for count in counts for kind in objects]


def depths(depths, cases):
    return [Run("match_depth", 2, f"--queue {queue} --order {order} --depths {depths}")
            for queue, order in cases]


def churn(kinds, counts):
    return [Run("object_churn", 1, f"--kind {kind} --threads {count}", count)
            for kind in kinds for count in counts]


BENCHES = tuple(dict.fromkeys(run.bench for run in full(1)))
