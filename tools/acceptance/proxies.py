"""Proxy applications with MPI and OpenMP: how each is built and run, and what its output must say.

Each solves a problem whose size does not depend on the ranks, so that a build without MPI and OpenMP can say what must come out.
"""
import re

OPENMP = "-fopenmp"


def side_of(ranks):
    """Of a cube of ranks; None: they make none."""
    side = round(ranks ** (1 / 3))
    return side if side ** 3 == ranks else None


def grid_of(ranks):
    """Three factors, the largest first, near each other."""
    last = max(i for i in range(1, ranks + 1) if ranks % i == 0 and i ** 3 <= ranks)
    rest = ranks // last
    middle = max(i for i in range(1, rest + 1) if rest % i == 0 and i * i <= rest)
    return tuple(sorted((rest // middle, middle, last), reverse=True))


def number_after(before, text):
    """The number of the output that follows this pattern; None: it is not there, or is no number."""
    said = re.search(rf"{before}\s*(-?\d[\d.]*(?:e[+-]?\d+)?)(?![\w.])", text)
    return float(said[1]) if said else None


class Proxy:
    """What follows is different for each."""
    name = repository = commit = ""
    folder = ""  # where its makefile is
    folder_alone = None  # the same for the program without OpenMP, if it is another one
    program = ""  # what that makes, seen from there
    figures = {}  # name: (pattern before a number, relative error that another order of sums may cause)
    limits = {}  # name: (pattern before a number, the largest that is right)
    says = ()  # patterns that the output must have
    published = {}  # words of the program alone: {name: the figure that its authors have published}

    def make(self, cc, cxx, parallel):
        """The words for make; `parallel`: with MPI and OpenMP."""

    def prepare(self, source):
        """Makes the input that the source does not have as it is needed."""

    def arguments(self, ranks, small, source):
        """The words of the program; None: it cannot run with so many ranks."""

    def alone(self, _ranks, small, source):
        """The words for the same problem without MPI."""
        return self.arguments(1, small, source)

    def wrong(self, text, reference, published):
        """Complaints about an output, given what was said alone, and {name: figure} that was published."""
        complaints = [f"it does not say '{pattern}'" for pattern in self.says if not re.search(pattern, text)]
        for name, (pattern, error) in self.figures.items():
            figure = number_after(pattern, text)
            rights = [("alone", number_after(pattern, reference))]
            rights += [("published", published[name])] if name in published else []
            for origin, right in rights:
                if figure is None or right is None or not abs(figure - right) <= error * abs(right):
                    complaints.append(f"{name}: {figure}; {origin}: {right}")
        for name, (pattern, largest) in self.limits.items():
            figure = number_after(pattern, text)
            if figure is None or not abs(figure) <= largest:
                complaints.append(f"{name}: {figure}; at most {largest} is right")
        return complaints


class Lulesh(Proxy):
    """Shock hydrodynamics: a cube of ranks, messages with up to 26 neighbours, a minimum each step."""
    name, repository, commit = "lulesh", "LLNL/LULESH", "3e01c40b3281aadb7f996525cdd4a3354f6d3801"
    folder, program = ".", "lulesh2.0"
    figures = {"iterations": ("Iteration count += ", 0), "energy": ("Final Origin Energy = ", 1e-6)}
    limits = {"asymmetry": ("MaxAbsDiff += ", 1e-8), "sum of asymmetries": ("TotalAbsDiff += ", 1e-7),
              "relative asymmetry": ("MaxRelDiff += ", 1e-8)}
    # LULESH 2.0's documentation has a table of sizes, iterations and energies.
    published = {("-s", "10"): {"iterations": 231, "energy": 2.720531e4}, ("-s", "30"): {"iterations": 932, "energy": 2.025075e5}}

    def make(self, _cc, cxx, parallel):
        openmp = OPENMP if parallel else ""
        return ["make", f"CXX={cxx} -DUSE_MPI={int(parallel)}", f"CXXFLAGS=-O2 -w -I. {openmp}", f"LDFLAGS={openmp}"]

    def _whole(self, side, small):
        return next((size for size in ((10, 12) if small else (30, 20)) if side and size % side == 0), None)

    def arguments(self, ranks, small, _source):
        side = side_of(ranks)
        whole = self._whole(side, small)
        return whole and ["-s", str(whole // side)]

    def alone(self, ranks, small, _source):
        return ["-s", str(self._whole(side_of(ranks), small))]


class MiniFe(Proxy):
    """Finite elements: assembly by threads, conjugate gradients with an exchange and two sums an iteration."""
    name, repository, commit = "minife", "Mantevo/miniFE", "c79e0f7f7afdd6c8191936efce7a668316159cc3"
    folder, folder_alone, program = "openmp/src", "ref/src", "miniFE.x"
    figures = {"first residual": ("Initial Residual =", 1e-5), "20th residual": ("Iteration = 20 +Residual =", 1e-4)}
    limits = {"last residual": ("Final Resid Norm:", 1e-14)}
    says = ("solution matches analytic solution to within 0.06 or better",)

    def make(self, cc, cxx, parallel):
        flags = f"-O2 -w {OPENMP if parallel else ''}"
        types = "-DMINIFE_SCALAR=double -DMINIFE_LOCAL_ORDINAL=int -DMINIFE_GLOBAL_ORDINAL=int -DMINIFE_CSR_MATRIX"
        return ["make", f"CC={cc}", f"CXX={cxx}", f"CFLAGS={flags}",
                f"CPPFLAGS=-I. -I../utils -I../fem {types} {'-DHAVE_MPI' if parallel else ''}"]

    def arguments(self, _ranks, small, _source):
        return [f"nx={20 if small else 50}", "verify_solution=1"]


class CoMd(Proxy):
    """Molecular dynamics: atoms go from rank to rank, forces by threads; a potential of pairs."""
    name, repository, commit = "comd", "ECP-copa/CoMD", "3d48396b77ca8caa3124bc2391f9139c3ffb556c"
    folder, folder_alone, program = "src-openmp", "src-mpi", "../bin/CoMD"
    figures = {"first energy": ("Initial energy +:", 1e-11), "last energy": ("Final energy +:", 1e-9), "atoms": ("Final atom count :", 0)}
    says = (r"no atoms lost", r"eFinal/eInitial : (1\.000|0\.999)")
    potential = ()

    def prepare(self, source):
        """Gives its makefiles the name that these themselves ask for."""
        for folder in (source / self.folder, source / self.folder_alone):
            (folder / "Makefile").write_text((folder / "Makefile.vanilla").read_text())

    def make(self, cc, _cxx, parallel):
        return ["make", f"CC={cc}", f"DO_MPI={'ON' if parallel else 'OFF'}",
                "CoMD_VARIANT=CoMD", f"OPTFLAGS=-O2 -w {OPENMP if parallel else ''}"]

    def arguments(self, ranks, small, source):
        cells, steps = (12, 20) if small else (24, 100)
        grid = grid_of(ranks)
        if cells // grid[0] < 4:  # a rank needs boxes as large as the cutoff
            return None
        words = ["-d", f"{source}/pots", "-N", str(steps), *self.potential]
        for axis, process, ranks_there in zip("xyz", "ijk", grid):
            words += [f"-{axis}", str(cells), f"-{process}", str(ranks_there)]
        return words


class CoMdEam(CoMd):
    """The same with embedded atoms: a second exchange a step, tables from a file."""
    name, potential = "comd-eam", ("-e",)


class Quicksilver(Proxy):
    """Monte Carlo transport: particles go from rank to rank, and a step ends when all are at rest.

    A particle has random numbers of its own, so the events of the first step are the same for any ranks and threads. Then each
    rank thins out its particles.
    """
    name, repository, commit = "quicksilver", "LLNL/Quicksilver", "eb68bb8d6fc53de1f65011d4e79ff2ed0dd60f3b"
    folder, program = "src", "qs"
    EVENTS = ("start", "source", "rr", "split", "absorb", "scatter", "fission", "produce", "collision", "escape", "census", "segments")
    figures = {event: (rf"\n +0 +(?:\d+ +){{{column}}}", 0) for column, event in enumerate(EVENTS)}
    says = ("PASS:: No Particles Lost During Run",)

    def make(self, _cc, cxx, parallel):
        return ["make", f"CXX={cxx}", "CXXFLAGS=-std=c++11 -O2 -w",
                f"CPPFLAGS={'-DHAVE_MPI -DHAVE_OPENMP -fopenmp' if parallel else ''}", f"LDFLAGS={OPENMP if parallel else ''}"]

    def prepare(self, source):
        """Its benchmark's input without the number of steps, which would override that of the command line."""
        lines = (source / "Examples/CTS2_Benchmark/CTS2.inp").read_text().splitlines(keepends=True)
        (source / "short.inp").write_text("".join(line for line in lines if "nSteps:" not in line))

    def arguments(self, ranks, small, source):
        grid, cells = grid_of(ranks), 12
        if any(cells % there for there in grid):
            return None
        words = ["-i", f"{source}/short.inp", "-n", str(10 * cells ** 3), "-N", "1" if small else "4"]
        for length, axis, process, ranks_there in zip("XYZ", "xyz", "IJK", grid):
            words += [f"-{length}", str(cells), f"-{axis}", str(cells), f"-{process}", str(ranks_there)]
        return words


PROXIES = (Lulesh(), MiniFe(), CoMd(), CoMdEam(), Quicksilver())
