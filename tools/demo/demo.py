"""The demo: two simulations with few and with many ranks on this machine's cores.

Prints a table and writes pictures. Ends with status 1 when a run fails or its result differs. Where there is mpifort, the example
in Fortran runs, too.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import programs  # noqa: E402

# Small runs whose fields are worth looking at.
PICTURES = {
    "heat": (["-n", "256", "-dt", "2e-3", "-steps", "10"], "temperature", "inferno"),
    "advection": (["-n", "512", "-steps", "600"], "concentration", "viridis"),
}
WAVE = pathlib.Path(__file__).resolve().parents[2] / "examples/wave/wave.f90"
WAVE_ERROR = 1e-9  # its string is back where it began, but for rounding
QUICK = {"heat": ["-n", "256", "-steps", "1"], "advection": ["-n", "512", "-steps", "100"]}


def read_options():
    parser = argparse.ArgumentParser(prog="./dev demo", description=__doc__)
    parser.add_argument("--prefix", default="build/release", help="where bin/mpiexec is")
    parser.add_argument("--out", default="build/demo", help="where programs and pictures go")
    parser.add_argument("--ranks", default="2,16,64,256")
    parser.add_argument("--rounds", type=int, default=1, help="runs of each; the median counts")
    parser.add_argument("--quick", action="store_true", help="small grids, to see that it works")
    return parser.parse_args()


class Demo:
    def __init__(self, options):
        self.bin = pathlib.Path(options.prefix).resolve() / "bin"
        self.out = pathlib.Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.ranks = [int(r) for r in options.ranks.split(",")]
        self.rounds = options.rounds
        self.extra = QUICK if options.quick else {}
        self.different = False

    def text_of(self, name, ranks, arguments):
        command = [self.bin / "mpiexec", "-n", str(ranks), self.out / name, *arguments]
        run = subprocess.run(command, text=True, capture_output=True)
        if run.returncode:
            sys.exit(f"$ {' '.join(map(str, command))}\n{run.stdout}{run.stderr}"
                     f"it ended with status {run.returncode}")
        return run.stdout

    def run(self, name, ranks, arguments):
        return programs.Result(self.text_of(name, ranks, arguments))

    def compile(self):
        for name in programs.GRID_PROGRAMS:
            programs.compile_grid_program([self.bin / "mpicc"], name, self.out / name)

    def swing(self):
        """The example in Fortran. Returns whether its result is right with any number of ranks."""
        mpifort = self.bin / "mpifort"
        if not mpifort.exists():
            print("\nno Fortran: there was no gfortran when Heddle was built")
            return True
        subprocess.run([mpifort, "-O2", "-o", self.out / "wave", WAVE], check=True)
        print("\nin Fortran, a string that swings:")
        errors = []
        for ranks in self.ranks:
            said = self.text_of("wave", ranks, ["1000"])
            print(f"  {said.strip()}", flush=True)
            errors.append(float(re.search(r"error +(\S+)", said)[1]))
        return max(errors) < WAVE_ERROR

    def measure(self):
        """The results of each (program, ranks); programs and ranks take turns."""
        results = {(n, r): [] for n in programs.GRID_PROGRAMS for r in self.ranks}
        print(f"{len(os.sched_getaffinity(0))} cores\n")
        print(f"{'program':10} {'ranks':>5} {'seconds':>8} {'against ' + str(self.ranks[0]):>10} "
              f"{'memory a rank':>14}  checksum")
        for round_number in range(self.rounds):
            for (name, ranks), found in results.items():
                found.append(self.run(name, ranks, self.extra.get(name, [])))
                if round_number == self.rounds - 1:
                    self.show(name, ranks, results)
        return results

    def show(self, name, ranks, results):
        def seconds(count):
            return statistics.median(r.seconds for r in results[name, count])

        result, first = results[name, ranks][-1], results[name, self.ranks[0]][0]
        same = all(r.agrees_with(first) for r in results[name, ranks])
        self.different |= not same
        print(f"{name:10} {ranks:5} {seconds(ranks):8.3f} "
              f"{seconds(ranks) / seconds(self.ranks[0]):9.2f}x "
              f"{result.memory_kib / ranks / 1024:10.2f} MiB  {result.checksum:.10e} "
              f"{'same' if same else 'DIFFERENT'}", flush=True)

    def draw(self, results):
        import pictures  # here, because --help does without its matplotlib
        written = [pictures.times(results, self.out / "time.png")]
        for name, (arguments, what, colours) in PICTURES.items():
            field = self.out / f"{what}.pgm"
            self.run(name, 16, [*arguments, "-o", field])
            written.append(pictures.field(field, what, colours, self.out / f"{what}.png"))
        print("\npictures: " + " ".join(map(str, written)))


def main():
    demo = Demo(read_options())
    demo.compile()
    demo.draw(demo.measure())
    if not demo.swing():
        return "the string of examples/wave is not where it began"
    return "the results differ between numbers of ranks" if demo.different else 0


if __name__ == "__main__":
    sys.exit(main())
