"""[lifetime] Goodell et al.: Minimizing MPI Resource Contention in Multithreaded Multicore Environments (Cluster 2010).

The Neighbor Message Rate (12 receives, 12 sends, Waitall; empty messages) by policy of HEDDLE_LIFETIME, and the references of an operation by
themselves. Cache misses come from the processor's counters where perf can read them, else from valgrind's model of one core's caches.
"""
import json
import sys

import frame
from frame import BARE, ROOT, Figure, Run, Unreadable, of_suite, of_word

sys.path.append(str(ROOT / "bench/lifetime"))
import counters  # noqa: E402

POLICIES = ("atomic", "predefined", "collector", "none", "asserted")
FIGURE_5 = {"collector": {1: 1.10, 4: 1.31}}
FIGURE_6 = {"atomic": {4: 1.5}}  # relative to the collector
SMALLEST = (1, 4, 16, 64, 256, 1024, 4096)
MODELLED = (1, 2, 4, 8, 16, 32)


def by_policy(policy):
    return (("HEDDLE_LIFETIME", policy),)


def workers(machine, threads):
    return f"--workers {min(threads, machine.cores)}"


def neighbours(machine, objects, threads, policy, **more):
    return Run(policy, "neighbor_rate", of_suite("message rate", "threads", 1e-6), threads + 1, f"--threads {threads} --objects {objects}",
               workers(machine, threads), by_policy(policy), threads + 1, **more)


def rate(machine, name, objects):
    runs = [neighbours(machine, objects, threads, policy) for threads in machine.counts(4) for policy in POLICIES]
    return Figure(f"lifetime/{name}", f"Neighbor Message Rate with {objects} objects, by policy", "figures 4 and 5",
                  "about 1.6 million a second with the collector and 4 threads; derived objects cost it what predefined ones do",
                  "threads", "million messages a second", runs, relative_to="atomic", paper=FIGURE_5, paper_is="relative",
                  remarks=machine.remarks(max(run.crowd for run in runs)) + ["asserted: the program promises to free nothing that is in use"])


def of_operations(output):
    """collector_bench: ns of processor time of an operation, by threads."""
    try:
        found = json.loads(output[output.index("{"):])["benchmarks"]
    except (ValueError, KeyError):
        raise Unreadable("printed no benchmark") from None
    return {int(one["name"].split("/")[1]): 1e9 / one["items_per_second"] for one in found}


def references(machine):
    runs = [Run(policy, "bench/lifetime/collector_bench", of_operations,
                words=f"--benchmark_filter=^operation/{threads}/ --benchmark_min_time={machine.seconds} --benchmark_format=json",
                environment=by_policy(policy), strands=threads, library=BARE, timed=False)
            for threads in machine.counts(4) for policy in POLICIES]
    return Figure("lifetime/references", "what an operation's references to two shared objects cost", "figure 5's reason",
                  "atomic counts do not scale, since cores take their lines from each other", "threads",
                  "ns of processor time an operation", runs, better="less", relative_to="atomic",
                  remarks=machine.remarks(max(run.crowd for run in runs)))


def of_counters(event):
    """What perf and neighbor_rate print: events a message, the program's start included."""
    def read(output):
        rates = of_suite("message rate", "threads")(output)
        count, seconds = counters.counted(output, event)
        return {threads: count / (messages * seconds) for threads, messages in rates.items()}
    return read


def misses(machine):
    says = "with 4 threads atomic counts miss the second cache 1.5 times as often as the collector"
    event = counters.usable_event()
    if event:
        runs = [Run(policy, "neighbor_rate", of_counters(event), threads + 1, f"--threads {threads}", workers(machine, threads),
                    by_policy(policy), threads + 1, wrap=counters.command(event))
                for threads in machine.counts(4) for policy in POLICIES]
        return Figure("lifetime/misses", f"cache misses a message ({event})", "figure 6", says, "threads", "misses a message", runs,
                      better="less", relative_to="collector", paper=FIGURE_6, paper_is="relative", remarks=machine.remarks(5))
    script = str(ROOT / "bench/lifetime/simulation.py")
    runs = [Run(policy, "bench/lifetime/collector_bench", of_simulation, environment=by_policy(policy), library=BARE, timed=False,
                wrap=(sys.executable, script)) for policy in POLICIES]
    return Figure("lifetime/misses", "an operation's references in valgrind's model of a core", "figure 6", says, "policy alone, one thread",
                  "an operation", runs, better="less", counted=True, text=lambda place: ("instructions", "misses of the first cache")[place],
                  remarks=[counters.WHY_NOT, "the model knows one core, so lines that cores take from each other are not in it"])


def counted(words, policy, line, read):
    """Locked instructions of a message (bench/lifetime/locked.py)."""
    script = str(ROOT / "bench/lifetime/locked.py")
    return Run(line, "", read, environment=by_policy(policy), library=BARE, timed=False, wrap=(sys.executable, script, *words.split()))


def locked(machine):
    runs = [counted(objects, policy, policy, of_word("locked", place)) for place, objects in enumerate(("predefined", "derived"))
            for policy in POLICIES]
    return Figure("lifetime/locked", "locked instructions a message, by policy and objects", "figures 4 to 6, their reason",
                  "atomic counts are what the threads of a process contend for", "objects", "locked instructions a message", runs,
                  better="less", text=lambda place: ("predefined", "derived")[place], counted=True,
                  remarks=["counted by callgrind on one worker: the same on a busy machine, and with any number of cores"])


MUTEXES = {"atomic": 1, "a mutex an object": 1, "a mutex for all counts, or one a kind": 2}  # lines that a count touches


def of_lines(each=1):
    """A model: threads take turns at random, so the line of a count is another core's with probability 1 - 1/threads."""
    def read(output):
        counts = next(iter(of_word("counts", 0)(output).values()))
        return {threads: each * counts * (1 - 1 / threads) for threads in MODELLED}
    return read


def lines(machine):
    runs = [counted(f"{objects} counts", policy, f"{policy}, {objects}", of_lines()) for objects in ("predefined", "derived")
            for policy in POLICIES[1:3]]
    runs += [counted(f"{objects} counts", "atomic", f"{way}, {objects}", of_lines(each)) for objects in ("predefined", "derived")
             for way, each in MUTEXES.items()]
    return Figure("lifetime/lines", "a model: cache lines of counts that a message takes from other cores", "IV, and figure 6's reason",
                  "with 4 threads atomic counts miss the second cache 1.5 times as often as the collector; mutexes are slower", "threads",
                  "lines a message", runs, better="less", counted=True,
                  remarks=["computed from lifetime/locked, not measured: each count is on a line of its own that all threads use, "
                           "and the thread that used it last is any of them",
                           "a mutex is two locked instructions for each one of an atomic count; that of an object is on its count's line"])


def memory(machine):
    sizes = (1, 4096) if machine.quick else SMALLEST
    runs = [Run(f"{policy}, {kind.removesuffix('-used')}", "object_churn", of_suite("memory held back", smallest), 1,
                f"--kind {kind} --threads 1", "--workers 1", (("HEDDLE_LIFETIME", policy), ("HEDDLE_LEAST_CYCLE", str(smallest))))
            for kind in ("comm-used", "type-used") for policy in ("atomic", "collector") for smallest in sizes]
    return Figure("lifetime/memory", "memory of freed objects that wait for a cycle", "V.B, its price",
                  "objects linger until a cycle: memory that could be given back is held", "smallest cycle, objects", "KiB", runs, better="less",
                  counted=True, remarks=["pages of the process after objects were made, used and freed for a while, over those before"])


def of_simulation(output):
    found = [float(line.split()[-1]) for line in output.splitlines() if line.startswith(("instructions ", "misses "))]
    if len(found) != 2:
        raise Unreadable(output.strip()[-200:] or "printed nothing")
    return dict(enumerate(found))


def threshold(machine):
    sizes = (1, 16, 256, 4096) if machine.quick else SMALLEST
    runs = [Run(f"{kind.removesuffix('-used')}, a cycle at {at}", "object_churn", of_suite("objects", smallest, 1e-6), 1,
                f"--kind {kind} --threads 1", "--workers 1",
                (("HEDDLE_LIFETIME", "collector"), ("HEDDLE_LEAST_CYCLE", str(smallest)), ("HEDDLE_CYCLE_AT", at)))
            for kind in ("comm-used", "type-used") for at in ("making", "freeing") for smallest in sizes]
    return Figure("lifetime/threshold", "objects made, used and freed, by the smallest cycle and by where one starts", "VIII, future work",
                  "the choice of a threshold and of where cycles start was left to study", "smallest cycle, objects",
                  "million objects a second", runs)


def figures(machine):
    return [rate(machine, "rate", "predefined"), rate(machine, "derived", "derived"), references(machine), misses(machine),
            locked(machine), lines(machine), memory(machine), threshold(machine)]
