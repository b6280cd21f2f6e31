"""[mpc] Pérache, Jourdren, Namyst: MPC: A Unified Parallel Runtime for Clusters of NUMA Machines (Euro-Par 2008).

Advection and conduction (examples/) with 1, 2, 4, 8 and 16 times as many tasks as there are cores, on one host; the paper's table of two nodes
with processes in place of nodes. Tiles are stripes of rows (1D, the paper's) and blocks (2D).
"""
from frame import HEDDLE, MPICH, Figure, Run, of_word

PROGRAMS = {"advection": ("advection", 50), "conduction": ("heat", 25)}  # the paper's name -> ours, cycles of its table
FACTORS = (1, 2, 4, 8, 16)  # tasks a core
TABLE_OF_NODES = {  # tasks a core -> time relative to MPI; 32 cores
    "advection": {1: 0.99, 2: 0.90, 4: 0.84, 6: 0.80, 8: 0.81, 10: 0.84, 12: 0.86, 14: 0.85, 16: 0.87},
    "conduction": {1: 1.02, 2: 0.96, 4: 0.92, 6: 0.89, 8: 0.92, 10: 0.91, 12: 0.93, 14: 0.91, 16: 0.91}}


def grid_words(machine, steps):
    """The grid and the cycles of the paper's table."""
    if machine.quick:
        return f"-nx 1000 -ny 250 -steps {steps}"
    return f"-nx 4000 -ny 1000 -steps {steps}"


def words_of(machine, paper_name, tiling):
    program, steps = PROGRAMS[paper_name]
    words = f"{grid_words(machine, steps)} -tiling {tiling}"
    # The paper does not say how long a cycle is in time; so that each takes some 35 iterations.
    return f"{words} -dt {1.6e-6 if machine.quick else 1e-7}" if program == "heat" else words


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


def figures(machine):
    made = [make(machine, name) for make in (scaling, overloading, nodes) for name in PROGRAMS]
    for figure in made:
        if machine.cores == 1:
            figure.remarks += machine.remarks(1)
    return made
