"""[mpc] Pérache, Jourdren, Namyst: MPC: A Unified Parallel Runtime for Clusters of NUMA Machines (Euro-Par 2008).

Advection and conduction (examples/) with 1 to 32 times as many tasks as there are cores, on one host; the same as counted misses of caches;
the paper's table of two nodes with processes in place of nodes; its table of allocators. Tiles are stripes (1D, the paper's) and blocks (2D).

Advection has the grid of the paper's table, 4000 x 1000 cells; stripes cut its longer side, so borders are short. Of conduction a run of that grid takes 20 s on two cores, and all of them would take
hours; so its grid has as many cells a core as the paper's 32 cores have, in the same shape.
"""
import math
import sys

from frame import BARE, HEDDLE, MPICH, ROOT, Figure, Run, Unreadable, of_word

PROGRAMS = {"advection": ("advection", 50), "conduction": ("heat", 25)}  # the paper's name -> ours, cycles of its table
FACTORS = (1, 2, 4, 8, 16, 32)  # tasks a core
PEERS = {"MPICH": MPICH, "Open MPI": "openmpi", "Intel MPI": "impi"}
MANY = (64, 256, 1024, 4096)  # tasks
CORES = 32  # of the paper's two nodes
TABLE_OF_NODES = {  # tasks a core -> time relative to MPI; 32 cores
    "advection": {1: 0.99, 2: 0.90, 4: 0.84, 6: 0.80, 8: 0.81, 10: 0.84, 12: 0.86, 14: 0.85, 16: 0.87},
    "conduction": {1: 1.02, 2: 0.96, 4: 0.92, 6: 0.89, 8: 0.92, 10: 0.91, 12: 0.93, 14: 0.91, 16: 0.91}}

TABLE_OF_ALLOCATORS = {tasks: round(ours / standard, 3) for tasks, standard, ours in (
    (1, 23.47, 23.47), (2, 12.79, 12.64), (4, 8.27, 7.86), (6, 5.44, 5.20), (8, 4.21, 3.95), (10, 3.25, 3.05), (12, 2.66, 2.51),
    (14, 2.22, 2.08), (16, 2.02, 1.76))}


def grid_words(machine, program, steps):
    """Grid and cycles. A look has half of each side."""
    share = min(1, math.sqrt(machine.cores / CORES)) if program == "heat" else 1
    width = round(1000 * share / (2 if machine.quick else 1))
    words = f"-nx {width} -ny {4 * width} -steps {steps}"
    # The paper does not say how long a cycle is in time; so that each takes some 35 iterations.
    return f"{words} -dt {1e-7 * (1000 / width) ** 2:.3g}" if program == "heat" else words


def words_of(machine, paper_name, tiling):
    program, steps = PROGRAMS[paper_name]
    return f"{grid_words(machine, program, steps)} -tiling {tiling}"


def factors(machine):
    return (1, 4, 16) if machine.quick else FACTORS


def overloading(machine, name):
    """Figure 3's second half: more tasks than cores."""
    program = PROGRAMS[name][0]
    runs = []
    lines = [(HEDDLE, "Heddle, 1D", "rows"), (HEDDLE, "Heddle, 2D", "blocks"), *((library, f"{peer}, 1D", "rows") for peer, library in PEERS.items())]
    for factor in factors(machine):
        for library, line, tiling in lines:
            ranks = factor * machine.cores
            runs.append(Run(line, program, of_word("seconds", factor), ranks, words_of(machine, name, tiling), library=library, timed=False))
    return Figure(f"mpc/{name}", f"{name} with more tasks than cores", "figure 3",
                  "overloading gains 10 to 20 % of the time", "tasks a core", "seconds", runs, better="less")


def of_counts(tasks):
    """What misses.py prints, as a line for each."""
    def read(output):
        found = dict(line.split() for line in output.splitlines() if len(line.split()) == 2)
        if len(found) != 3:
            raise Unreadable(output.strip()[-200:] or "printed nothing")
        return {line: {tasks: float(found[word])} for word, line in COUNTED.items()}
    return read


COUNTED = {"second": "misses of the second cache", "first": "misses of the first", "instructions": "instructions"}


def misses(machine, name):
    """Why overloading gains, or does not: tasks of one core, counted."""
    program, script = PROGRAMS[name][0], str(ROOT / "bench/papers/misses.py")
    what = {"advection": "a cell and sweep", "heat": "a cell and iteration"}[program]
    runs = [Run("counted", "", of_counts(tasks), tasks, library=BARE, timed=False, wrap=(sys.executable, script, program, str(tasks)),
                makes=tuple(COUNTED.values())) for tasks in factors(machine)]
    return Figure(f"mpc/misses-{name}", f"{name}: what {what} costs a core's own caches", "figure 3, its reason",
                  "with overloading a tile is smaller, so it stays in the caches", "tasks a core", what, runs, better="less",
                  remarks=["counted by cachegrind with the sizes of this machine's first two caches, all tasks on one worker: the same on a busy "
                           "machine"])


def at_each(places):
    """One run that is the base of all places."""
    def read(output):
        return {place: value for place in places for value in of_word("seconds", place)(output).values()}
    return read


def nodes(machine, name):
    """The table of 4.1: two nodes; here two processes that share out the ranks, relative to MPICH with a task a core, as there."""
    program = PROGRAMS[name][0]
    theirs = TABLE_OF_NODES[name]
    words = words_of(machine, name, "rows")
    chosen = sorted(theirs) if not machine.quick else factors(machine)
    base = "MPICH, a task a core"
    runs = [Run(base, program, at_each(chosen), machine.cores, words, library=MPICH, timed=False)]
    for factor in chosen:
        where = [of_word("seconds", factor), factor * machine.cores, words]
        runs.append(Run("MPICH, as many tasks", program, *where, library=MPICH, timed=False))
        runs.append(Run("Heddle, two processes", program, *where, options="--processes 2", timed=False))
        runs.append(Run("Heddle, one process", program, *where, timed=False))
    return Figure(f"mpc/nodes-{name}", f"{name} on two nodes, relative to MPI", "the table of 4.1",
                  "MPC takes 0.80 to 1.02 of MPI's time", "tasks a core", "seconds", runs, better="less", relative_to=base,
                  paper={"MPC": theirs}, paper_is="relative",
                  remarks=["two processes of one machine stand for the paper's two nodes"])


def scaling(machine, name):
    """Figure 3's first half: the same problem on more cores; ranks as many as workers, and 16 in any case."""
    program = PROGRAMS[name][0]
    runs = []
    words = words_of(machine, name, "rows")
    for workers in sorted({count for count in (1, 2, 4, 8, 16, 32, 64) if count <= machine.cores} | {machine.cores}):
        read, options = of_word("seconds", workers), f"--workers {workers}"
        runs.append(Run("Heddle, a task a core", program, read, workers, words, options=options, strands=workers, timed=False))
        runs.append(Run("Heddle, 16 tasks a core", program, read, 16 * workers, words, options=options, strands=workers, timed=False))
        runs.append(Run("MPICH, a task a core", program, read, workers, words, library=MPICH, timed=False))
    return Figure(f"mpc/scaling-{name}", f"{name} on more and more cores", "figure 3", "as MPI, to 16 cores", "cores", "seconds", runs,
                  better="less")


def tasks_of_table(machine):
    return sorted(TABLE_OF_ALLOCATORS) if not machine.quick else (1, 4, 16)


def allocators(machine, figure, name):
    """The table of 4.2: as many tasks as it has; beyond the cores they take turns."""
    program = PROGRAMS[name][0]
    runs = [Run(allocator, program, of_word("seconds", tasks), tasks, words_of(machine, name, "rows"), options=f"--malloc {allocator}",
                timed=False) for tasks in tasks_of_table(machine) for allocator in ("glibc", "mimalloc")]
    return Figure(figure, f"{name} by allocator", "the table of 4.2", "MPC's allocator takes 1.00 to 0.87 of the C library's time; conduction "
                  "is similar", "tasks", "seconds", runs, better="less", relative_to="glibc",
                  paper={"MPC's allocator": TABLE_OF_ALLOCATORS} if name == "advection" else {},
                  paper_is="relative" if name == "advection" else "", remarks=machine.remarks(max(run.crowd for run in runs)))


def allocating(machine, word, unit):
    """A program that allocates in its loop, which examples/ do not."""
    runs = [Run(allocator, "allocating", of_word(word, tasks), tasks, "4000000 20", options=f"--malloc {allocator}", timed=False)
            for tasks in tasks_of_table(machine) for allocator in ("glibc", "mimalloc")]
    return Figure(f"mpc/allocating-{word}", f"a sweep that allocates its fields anew in each step, by allocator: {word}", "the table of 4.2",
                  "MPC's allocator takes 1.00 to 0.87 of the C library's time", "tasks", unit, runs, better="less",
                  remarks=machine.remarks(max(run.crowd for run in runs)))


def of_many(tasks):
    def read(output):
        seconds, memory = (next(iter(of_word(word, 0)(output).values())) for word in ("seconds", "memory_kib"))
        return {"seconds": {tasks: seconds}, "memory a task, MiB": {tasks: memory / tasks / 1024}}
    return read


def many(machine):
    """The run of 4.1 with 4,096 processors, which tested robustness: here all tasks share what cores there are."""
    runs = [Run("advection", "advection", of_many(tasks), tasks, "-n 2048 -steps 10 -tiling blocks", timed=False,
                makes=("seconds", "memory a task, MiB")) for tasks in (MANY if not machine.quick else MANY[:2])]
    return Figure("mpc/many", "advection with up to 4,096 tasks", "4.1", "a run over 4,096 processors, to check robustness", "tasks",
                  "seconds, or MiB a task", runs, better="less", remarks=["2048 x 2048 cells, blocks, ten cycles, whatever the number of tasks"])


def figures(machine):
    made = [make(machine, name) for make in (scaling, overloading, misses, nodes) for name in PROGRAMS]
    made += [allocators(machine, "mpc/allocator", "advection"), allocators(machine, "mpc/allocator-conduction", "conduction"),
             allocating(machine, "seconds", "seconds"), allocating(machine, "faults", "page faults of a task in a step"), many(machine)]
    for figure in made:
        if machine.cores == 1:
            figure.remarks += machine.remarks(1)
    return made
