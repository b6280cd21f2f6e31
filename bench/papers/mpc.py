"""[mpc] Pérache, Jourdren, Namyst: MPC: A Unified Parallel Runtime for Clusters of NUMA Machines (Euro-Par 2008).

Advection and conduction (examples/) with 1, 2, 4, 8 and 16 times as many tasks as there are cores, on one host; the paper's table of two nodes
with processes in place of nodes; its table of allocators. Tiles are stripes of rows (1D, the paper's) and blocks (2D).

Advection has the grid of the paper's table, 4000 x 1000 cells. Of conduction a run of that grid takes 20 s on two cores, and all of them would take
hours; so its grid has as many cells a core as the paper's 32 cores have, in the same shape.
"""
import math

from frame import HEDDLE, MPICH, Figure, Run, of_word

PROGRAMS = {"advection": ("advection", 50), "conduction": ("heat", 25)}  # the paper's name -> ours, cycles of its table
FACTORS = (1, 2, 4, 8, 16)  # tasks a core
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
    width = 4 * round(1000 * share / (2 if machine.quick else 1))
    words = f"-nx {width} -ny {width // 4} -steps {steps}"
    # The paper does not say how long a cycle is in time; so that each takes some 35 iterations.
    return f"{words} -dt {1e-7 * (4000 / width) ** 2:.3g}" if program == "heat" else words


def words_of(machine, paper_name, tiling):
    program, steps = PROGRAMS[paper_name]
    return f"{grid_words(machine, program, steps)} -tiling {tiling}"


def factors(machine):
    return (1, 4, 16) if machine.quick else FACTORS


def overloading(machine, name):
    """Figure 3's second half: more tasks than cores."""
    program = PROGRAMS[name][0]
    runs = []
    for library, line, tiling in ((HEDDLE, "Heddle, 1D", "rows"), (HEDDLE, "Heddle, 2D", "blocks"), (MPICH, "MPICH, 1D", "rows")):
        for factor in factors(machine):
            ranks = factor * machine.cores
            runs.append(Run(line, program, of_word("seconds", factor), ranks, words_of(machine, name, tiling), library=library, timed=False))
    return Figure(f"mpc/{name}", f"{name} with more tasks than cores", "figure 3",
                  "overloading gains 10 to 20 % of the time", "tasks a core", "seconds", runs, better="less")


def nodes(machine, name):
    """The table of 4.1: two nodes; here two processes that share out the ranks, relative to MPICH."""
    program = PROGRAMS[name][0]
    theirs = TABLE_OF_NODES[name]
    runs = []
    for factor in sorted(theirs) if not machine.quick else factors(machine):
        ranks = factor * machine.cores
        words = words_of(machine, name, "rows")
        where = [of_word("seconds", factor), ranks, words]
        runs.append(Run("MPICH", program, *where, library=MPICH, timed=False))
        runs.append(Run("Heddle, two processes", program, *where, options="--processes 2", timed=False))
        runs.append(Run("Heddle, one process", program, *where, timed=False))
    return Figure(f"mpc/nodes-{name}", f"{name} on two nodes, relative to MPI", "the table of 4.1",
                  "MPC takes 0.80 to 1.02 of MPI's time", "tasks a core", "seconds", runs, better="less", relative_to="MPICH",
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


def allocators(machine):
    """The table of 4.2: as many tasks as it has; beyond the cores they take turns."""
    runs = [Run(allocator, "advection", of_word("seconds", tasks), tasks, words_of(machine, "advection", "rows"),
                options=f"--malloc {allocator}", timed=False)
            for tasks in (sorted(TABLE_OF_ALLOCATORS) if not machine.quick else (1, 4, 16)) for allocator in ("glibc", "mimalloc")]
    return Figure("mpc/allocator", "advection by allocator", "the table of 4.2", "MPC's allocator takes 1.00 to 0.87 of the C library's time",
                  "tasks", "seconds", runs, better="less", relative_to="glibc", paper={"MPC's allocator": TABLE_OF_ALLOCATORS},
                  paper_is="relative", remarks=machine.remarks(max(run.crowd for run in runs)))


def figures(machine):
    made = [make(machine, name) for make in (scaling, overloading, nodes) for name in PROGRAMS] + [allocators(machine)]
    for figure in made:
        if machine.cores == 1:
            figure.remarks += machine.remarks(1)
    return made
