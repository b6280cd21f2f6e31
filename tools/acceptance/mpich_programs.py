"""What MPICH's test/mpi says about its programs: how each is built and with what it is run.

Programs and their sources stand in Makefile.am (automake's rule for a name without a rule is that it has one source of
that name), runs in the files testlist and testlist.in, one a line:

    name ranks [arg=A] [mpiexecarg=A] [env=N=V] [timeLimit=SECONDS] [mem=GIGABYTES] [mpiversion=V] [resultTest=HOW]
        [strict=false]

HOW names what a right run looks like (VERDICTS).

Runs with generated datatypes are described by maint/dtp-test-config.txt; its head explains the format.
"""
import dataclasses
import re

FOLDERS = [
    "attr", "comm", "coll", "datatype", "errhan", "errors/attr", "errors/coll", "errors/comm", "errors/datatype",
    "errors/group", "errors/io", "errors/pt2pt", "errors/rma", "errors/session", "errors/topo", "group", "info", "init", "io", "mpi_t",
    "part", "pt2pt", "rma", "session", "topo", "threads/coll", "threads/comm", "threads/init", "threads/mpi_t",
    "threads/part", "threads/pt2pt", "threads/rma",
]  # an older version of MPICH lacks some of them

# Programs that fail or pass by chance: it reads MPI_ERROR of statuses that a successful MPI_Waitall leaves alone.
LEFT_OUT = ["part/multipart"]

# Base types of the generated datatypes, those that MPICH's own configure takes.
GENERATED_TYPES = ["MPI_INT", "MPI_INT:4+MPI_DOUBLE:8"]

# Elements of them in a message; those with more take minutes each, and test the same ways.
MOST_GENERATED = 65530

# The main of programs that define a function run() in place of it, as newer versions of MPICH do.
SHARED_MAIN = "util/run_mpitests.c"

# Placeholders at the beginning of a line that switch it off or on.
SWITCHES = {"@largetest@": "#", "@comm_overlap@": ""}


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What a right run looks like."""
    succeeds: bool = True  # exit status 0; else another one
    says_no_errors: bool = True
    says_nothing_else: bool = True
    may_warn: bool = False  # lines that MPICH's own library might print are no fault


# By the names of MPICH's script `runtests`.
VERDICTS = {
    "TestNormal": Verdict(),
    "TestAllowWarnings": Verdict(may_warn=True),
    "TestStatus": Verdict(succeeds=False, says_no_errors=False, says_nothing_else=False),
    "TestErrFatal": Verdict(succeeds=False, says_no_errors=False, says_nothing_else=False),
    "TestStatusNoErrors": Verdict(succeeds=False),
    "TestBench": Verdict(says_no_errors=False, says_nothing_else=False),
}


@dataclasses.dataclass(frozen=True)
class Program:
    """How it is built."""
    folder: str
    name: str
    sources: tuple  # below test/mpi
    flags: tuple

    @property
    def path(self):
        return f"{self.folder}/{self.name}"

    @property
    def threaded(self):
        return self.folder.startswith("threads/")


@dataclasses.dataclass(frozen=True)
class Run:
    """One line of a testlist."""
    program: str  # folder/name
    ranks: int
    arguments: tuple = ()
    options: tuple = ()  # of mpiexec
    environment: tuple = ()
    time_limit: int = 0  # seconds; 0: the usual one
    gigabytes: float = 0.0
    verdict: Verdict = VERDICTS["TestNormal"]
    generated: bool = False  # from dtp-test-config.txt

    @property
    def folder(self):
        return self.program.rsplit("/", 1)[0]

    def title(self, ranks):
        return " ".join([self.program, f"-n {ranks}", *self.environment, *self.arguments])


def variables(makefile):
    """Automake variables, with continued lines joined."""
    text = re.sub(r"^##?.*\n", "", makefile.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return {name: value.split() for name, value in re.findall(r"^(\w+)\s*\+?=(.*)$", text, re.MULTILINE)}


def program(root, path):
    """How the program `path` (folder/name) is built."""
    folder, name = path.rsplit("/", 1)
    known = variables(root / folder / "Makefile.am")
    sources = [f"{folder}/{source}" for source in known.get(f"{name}_SOURCES", [f"{name}.c"]) if source.endswith(".c")]
    flags = [flag for flag in known.get(f"{name}_CPPFLAGS", []) if flag.startswith("-D")]
    texts = [(root / source).read_text(errors="replace") for source in sources]
    if any(re.search(r"^int run\(const char", text, re.MULTILINE) for text in texts):
        sources.append(SHARED_MAIN)
    return Program(folder, name, tuple(sources), tuple(flags))


def _parse_line(folder, line):
    name, ranks, *options = line.split()
    pairs = [option.split("=", 1) for option in options if "=" in option]

    def values(key):
        return tuple(value for name, value in pairs if name == key)

    return Run(f"{folder}/{name}", int(ranks), values("arg"), values("mpiexecarg"), values("env"),
               int((values("timeLimit") or ["0"])[0]), float((values("mem") or ["0"])[0]),
               VERDICTS[(values("resultTest") or ["TestNormal"])[0]])


def listed(root, folder):
    for name in ("testlist.in", "testlist"):
        if (root / folder / name).exists():
            text = (root / folder / name).read_text()
            break
    else:
        return []
    for placeholder, meaning in SWITCHES.items():
        text = text.replace(placeholder, meaning)
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", "@"))]
    return [_parse_line(folder, line) for line in lines]


def _generated(root):
    """Runs whose datatypes are drawn by MPICH's DTPools."""
    runs, seed = [], 0
    for line in (root / "maint/dtp-test-config.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        path, arguments, counts, options, ranks, least, most = line.split(":")[:7]
        folder = path.rsplit("/", 1)[0]
        if folder not in FOLDERS:
            continue
        for kind in GENERATED_TYPES:
            for count in counts.split():
                seed += 1
                if int(count) > MOST_GENERATED:
                    continue
                both = ["-sendcnt", "-recvcnt"] if folder in ("pt2pt", "part") else ["-count"]
                drawn = [f"-type={kind}", *(f"{option}={count}" for option in both), f"-seed={seed}",
                         f"-testsize={least}", *arguments.split()]
                words = " ".join(f"arg={word}" for word in drawn)
                run = _parse_line(folder, f"{path.rsplit('/', 1)[1]} {ranks} {words} {options}")
                runs.append(dataclasses.replace(run, generated=True))
    return runs


def runs(root):
    """All runs of the folders that we have; `root` is MPICH's test/mpi.

    Lines that differ from another one in nothing but settings of MPICH say nothing about us."""
    every = []
    for run in [run for folder in FOLDERS for run in listed(root, folder)] + _generated(root):
        if run.program in LEFT_OUT:
            continue
        ours = tuple(value for value in run.environment if not value.startswith("MPIR_CVAR_"))
        every.append(dataclasses.replace(run, environment=ours))
    return list(dict.fromkeys(every))
