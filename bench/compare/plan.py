"""What is measured: each Case is one program with one number of ranks, run in turn with each MPI."""
import dataclasses

import tables


@dataclasses.dataclass(frozen=True)
class Case:
    what: str            # the question; also the name on the command line of ./dev bench
    program: str
    ranks: int
    threads: int = 0     # of each rank's OpenMP team; 0: none
    arguments: tuple = ()
    variant: str = ""    # of Heddle's own settings
    options: tuple = ()  # of Heddle's mpiexec, for that variant
    kind: str = "run"    # run: read what it prints; idle: watch the processor time while it waits
    timeout: int = 30
    only_heddle: bool = False

    @property
    def key(self):
        size = f"{self.ranks}x{self.threads}" if self.threads else str(self.ranks)
        return "/".join(filter(None, (self.what, size, self.variant)))


ONE_WORKER = {"variant": "one-worker", "options": ("--workers", "1"), "only_heddle": True}
PROCESSES = {"variant": "processes", "options": ("--ranks-as", "processes"), "only_heddle": True}


def cases(quick):
    many = (16, 64) if quick else (16, 64, 256)
    small = {"heat": ("-n", "256", "-steps", "1"), "advection": ("-n", "512", "-steps", "100")}
    plan = [
        Case("latency", "latency", 2),
        Case("latency", "latency", 2, **ONE_WORKER),
        Case("latency", "latency", 2, **PROCESSES),
        Case("bandwidth", "bandwidth", 2),
        Case("bandwidth", "bandwidth", 2, **ONE_WORKER),
        Case("bandwidth", "bandwidth", 2, **PROCESSES),
        *(Case(pattern, "exchange", 2, arguments=(pattern,)) for pattern in ("sendrecv", "waitall", "touched")),
        Case("touched", "exchange", 2, arguments=("touched",), **PROCESSES),
        Case("idle", "idle", 16, kind="idle", options=("--no-deadlock-check",)),
    ]
    plan += [Case("startup", "startup", ranks) for ranks in (1, 2, *many)]
    plan += [Case("memory", "startup", ranks, arguments=("memory",)) for ranks in (2, *many)]
    if not quick:
        plan += [Case("startup", "startup", 1024, only_heddle=True),
                 Case("memory", "startup", 1024, arguments=("memory",), only_heddle=True)]
    for program in ("heat", "advection"):
        arguments = small[program] if quick else ()
        plan += [Case(program, program, ranks, arguments=arguments) for ranks in (1, 2, *many)]
    for ranks in (2, 16) if quick else (2, 16, 64):
        plan += [Case("collectives", "collectives", ranks, arguments=("short",), timeout=120),
                 Case("long", "collectives", ranks, arguments=("long",), timeout=120),
                 Case("communicators", "objects", ranks, arguments=("communicators",), timeout=60)]
    if not quick:
        plan += [Case("communicators", "objects", ranks, arguments=("communicators",), only_heddle=True)
                 for ranks in (256, 1024, 4096)]
    plan.append(Case("windows", "windows", 2, arguments=("pair",), timeout=60))
    plan.append(Case("windows", "windows", 2, arguments=("pair",), timeout=60, **PROCESSES))
    plan += [Case("windows", "windows", 5, arguments=("four",), timeout=60),
             Case("windows", "windows", 2, arguments=("four",), variant="threads", timeout=60)]
    plan += [Case("synchronization", "windows", ranks, arguments=("crowd",), timeout=60) for ranks in (2, 64)]
    plan += [Case("synchronization", "windows", ranks, arguments=("crowd",), timeout=60, **PROCESSES) for ranks in (2, 8)]
    plan.append(Case("calls", "objects", 1, arguments=("calls",)))
    plan += [Case(what, "layouts", ranks, arguments=(what,), timeout=180)
             for what, ranks in (("pack", 1), ("unpack", 1), ("send", 2))]
    teams = ((16, 1), (4, 4), (2, 8), (1, 16), (2, 1), (1, 2))
    plan += [Case("hybrid", "heat_hybrid", ranks, threads, arguments=small["heat"] if quick else ())
             for ranks, threads in teams]
    return plan


WHATS = ("switch", *tables.QUESTIONS)
