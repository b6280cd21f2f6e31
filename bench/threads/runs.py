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
        return f"{self.bench} {self.options}".strip()

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
    runs = [Run("overhead", 2, f"--level {level} --sizes 0,1024,65536")
            for level in ("single", "multiple")]
    runs += both("bandwidth", [4], "--sizes 4096,65536,1048576")
    runs += both("latency", [4], "--sizes 8,4096")
    runs += both("message_rate", [1, 4]) + [pairs("message_rate", "threads", 4, comms="own")]
    runs += short_long()
    runs += overlap(262144)
    runs += both("collectives", [4], "--sizes 8,65536")
    runs += [Run("collective_compute", 2, "--threads 1", 2)]
    runs += neighbours([4])
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
    sizes = "--sizes 0,8,64,1024,8192,65536,524288"
    runs = [Run("overhead", 2, f"--level {level} {sizes}") for level in ("single", "multiple")]
    large = "--sizes 1024,4096,16384,65536,262144,1048576"
    for count in counts:
        runs += both("bandwidth", [count], large) + both("latency", [count], "--sizes 8,1024,16384")
    runs += [pairs("bandwidth", "threads", 4, large, "own"),
             pairs("latency", "threads", 4, "--sizes 8,1024,16384", "own")]
    runs += both("message_rate", counts) + [pairs("message_rate", "threads", 4, comms="own")]
    runs += short_long()
    runs += overlap(262144) + overlap(1048576)
    runs += both("collectives", counts, "--sizes 8,1024,65536")
    runs += [Run("collective_compute", 2, f"--threads {threads}", 1 + threads) for threads in (1, 2)]
    runs += neighbours([1, 2, 4, 8])
    runs += depths("1,10,100,1000,10000,100000",
                   [(queue, order) for queue in ("posted", "unexpected")
                    for order in ("in", "reversed", "random", "wildcard")])
    runs += churn(["comm", "comm-used", "type", "type-used", "op", "group", "request"], [1, 2, 4])
    runs += both("oversubscription", [1, 2, 4, 8, 16, 32])
    return by_turns(runs)


def short_long():
    return [Run("short_long", 2, "--senders none"), Run("short_long", 4, "--senders processes"),
            Run("short_long", 3, "--senders threads", 2)]


def overlap(size):
    return [Run("overlap", 2, f"--helper none --size {size}"),
            Run("overlap", 2, f"--helper thread --size {size}", 2)]


def neighbours(counts):
    """The neighbours are ranks of one thread each; `threads` counts as if all had two."""
    return [Run("neighbor_rate", count + 1, f"--threads {count} --objects {objects}", 2)
            for count in counts for objects in ("predefined", "derived")]


def depths(depths, cases):
    return [Run("match_depth", 2, f"--queue {queue} --order {order} --depths {depths}")
            for queue, order in cases]


def churn(kinds, counts):
    return [Run("object_churn", 1, f"--kind {kind} --threads {count}", count)
            for kind in kinds for count in counts]


BENCHES = tuple(dict.fromkeys(run.bench for run in full(1)))
