"""Programs of `mpicc -fopenmp`: teams are right in every rank, fit the cores, and the job ends.

    openmp.py BIN WORK
"""
import itertools
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
sys.path.insert(0, str(HERE.parent / "launch"))
from table import Bench  # noqa: E402

WAYS = ["--workers 1", "--workers 2", "--workers 2 --posix-threads kernel", "--ranks-as processes"]


def build(bench, name, words=(), library="llvm"):
    subprocess.run([bench.bin / "mpicc", *words, "-O1", "-g", "-fopenmp", "-o", bench.work / name,
                    HERE / "programs" / "openmp.c"], check=True, env={**os.environ, "HEDDLE_OPENMP": library})


def check_cores(bench):
    """Without OMP_NUM_THREADS the teams of all ranks fit the cores; a rank's main strand may use all CPUs."""
    cpus = len(os.sched_getaffinity(0))
    for workers in (1, cpus):
        for ranks in (1, 2, 4):
            share = max(1, workers // ranks)
            for variables, team, how in (({}, share, ""), ({}, share, "--bind-to none"), ({"OMP_NUM_THREADS": "3"}, 3, "")):
                bench.check((f"cores of {ranks} ranks on {workers}, {variables} {how}",
                             f"mpiexec -n {ranks} --workers {workers} {how} ./openmp cores", 0,
                             rf"\A({share} {team} {team} {cpus}\n){{{ranks}}}\Z", None,
                             {"env": {**os.environ, **variables}}))


def check_wait(bench):
    """Threads without work spin for others only where each has a core; what the user says of it holds."""
    spin, sleep, cpus = 200, 0, len(os.sched_getaffinity(0))
    for ranks, workers, variables, wanted in (
            (1, 1, {}, spin), (2, 1, {}, spin), (2, cpus, {}, spin), (1, 1, {"OMP_NUM_THREADS": "1"}, spin),
            (1, 1, {"OMP_NUM_THREADS": "2"}, sleep), (8, 1, {"OMP_NUM_THREADS": "2"}, sleep), (1, 1, {"OMP_NUM_THREADS": "1,2"}, sleep),
            (1, cpus, {"OMP_NUM_THREADS": str(cpus)}, spin), (2, cpus, {"OMP_NUM_THREADS": str(cpus + 1)}, sleep),
            (2, 1, {"OMP_NUM_THREADS": "2", "KMP_BLOCKTIME": "7"}, 7)):
        bench.check((f"wait of {ranks} ranks on {workers}, {variables}", f"mpiexec -n {ranks} --workers {workers} ./openmp wait", 0,
                     rf"\A({wanted}\n){{{ranks}}}\Z", None, {"env": {**os.environ, **variables}}))
    for policy, wanted in (("active", spin), ("passive", sleep)):
        result = bench.run("mpiexec -n 2 --workers 1 ./openmp wait", env={"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": policy})
        told = [int(line) for line in result.stdout.split()]
        right = len(told) == 2 and all((milliseconds > 0) == (wanted > 0) for milliseconds in told)
        bench.report(f"wait: policy {policy}", [] if right else [f"told {told}"], result.stdout + result.stderr)


def check_early(bench):
    """Regions in constructors and destructors have teams of the right size, beside other copies of libomp."""
    subprocess.run([bench.bin / "mpicc", "-O1", "-g", "-fopenmp", "-o", bench.work / "openmp_early",
                    HERE / "programs" / "openmp_early.c"], check=True)
    cpus = len(os.sched_getaffinity(0))
    for way, (variables, team) in itertools.product(WAYS, (({"OMP_NUM_THREADS": "3"}, 3), ({"KMP_DUPLICATE_LIB_OK": "FALSE"}, None))):
        size = team or (cpus if "processes" in way else 1)  # as processes they share no cores
        lines = "".join(rf"(?=((?s:.*?)^{where} {size} {size}$){{4}})" for where in ("constructor", "main", "destructor"))
        bench.check((f"early and late regions, {variables}, {way}", f"mpiexec -n 4 {way} ./openmp_early", 0,
                     rf"\A{lines}(.*\n){{12}}\Z", None, {"env": {**os.environ, **variables}, "timeout": 60}))


def check_heat(bench):
    """The hybrid example finds what one rank without teams does, with any ranks, threads and workers."""
    for name, words in (("heat", ()), ("heat_hybrid", ("-fopenmp",))):
        subprocess.run([bench.bin / "mpicc", "-O1", *words, f"-I{EXAMPLES / 'grid'}", "-o", bench.work / name,
                        EXAMPLES / "heat/heat.c", EXAMPLES / "grid/grid.c", "-lm"], check=True)

    def checksum(program, ranks, way, threads):
        result = bench.run(f"mpiexec -n {ranks} {way} ./{program} -n 24 -steps 2", env={"OMP_NUM_THREADS": str(threads)})
        found = re.search(r"^checksum (\S+)$", result.stdout, re.MULTILINE)
        return (float(found[1]) if found and result.returncode == 0 else None), result.stdout + result.stderr

    wanted, _ = checksum("heat", 1, "", 1)
    for ranks, threads, way in itertools.product((1, 2, 5), (1, 3, 16), WAYS):
        found, text = checksum("heat_hybrid", ranks, way, threads)
        right = found is not None and math.isclose(found, wanted, rel_tol=1e-8)
        bench.report(f"heat: {ranks} ranks x {threads} threads, {way}", [] if right else [f"not {wanted}"], text)


def check_ends(bench):
    """Jobs that end early leave no segment of libomp in /dev/shm. Each program says the name of its process's one."""
    subprocess.run([bench.bin / "mpicc", "-O1", "-fopenmp", "-o", bench.work / "openmp_ends",
                    HERE / "programs" / "openmp_ends.c"], check=True)
    for way in (*WAYS, "--processes 2"):
        for how in ("crash", "abort", "mpi_abort", "_exit", "_exit_early", "kill", "return"):
            if how == "kill" and "process" not in way:
                continue  # there is no parent that could know
            result = bench.run(f"mpiexec -n 2 {way} ./openmp_ends {how}")
            segments = set(re.findall(r"^(/dev/shm/\S+) there$", result.stdout, re.MULTILINE))
            left = [each for each in segments if os.path.exists(each)]
            for each in left:
                os.unlink(each)
            wrong = [f"{each} is left" for each in left] + ([] if segments else ["no program has made a segment"])
            bench.report(f"segments: {how}, {way}", wrong, result.stdout + result.stderr)


def check_target(bench):
    """Regions for devices run on the host, as gcc's own library has them where there is no device."""
    source = HERE / "programs" / "openmp_target.c"
    subprocess.run(["gcc", "-DALONE", "-O1", "-fopenmp", "-o", bench.work / "target_alone", source], check=True)
    wanted = subprocess.run([bench.work / "target_alone"], check=True, capture_output=True, text=True).stdout
    subprocess.run([bench.bin / "mpicc", "-O1", "-fopenmp", "-o", bench.work / "target", source], check=True)
    for way in (*WAYS, None):
        command = "./target" if way is None else f"mpiexec -n 1 {way} ./target"
        bench.check((f"target regions, {command}", command, 0, rf"\A{re.escape(wanted)}\Z", None))


def has_clang():
    """It may be there without omp.h, which is libomp-14-dev's."""
    words = ["clang-14", "-fopenmp", "-fsyntax-only", "-include", "omp.h", "-x", "c", os.devnull]
    return shutil.which(words[0]) is not None and subprocess.run(words, capture_output=True, check=False).returncode == 0


def main():
    bench = Bench(sys.argv)
    names = ["openmp", "openmp_gnu"]
    build(bench, "openmp")
    build(bench, "openmp_gnu", library="gnu")
    if has_clang():
        build(bench, "openmp_clang", ["-cc=clang-14", "-L/usr/lib/llvm-14/lib"])
        names.append("openmp_clang")
    for name in names:
        for way in WAYS:
            for how in ("", " exit"):
                bench.check((f"{name}{how}, {way}", f"mpiexec -n 4 {way} ./{name}{how}", 0, r"\A(ok\n){4}\Z", None))
    check_cores(bench)
    check_wait(bench)
    check_early(bench)
    check_heat(bench)
    check_ends(bench)
    check_target(bench)
    for way in WAYS:
        bench.check((f"pauses, {way}", f"mpiexec -n 4 {way} ./openmp pause", 0, r"\A(ok\n){4}\Z", None))
        bench.check((f"cancellation, {way}", f"mpiexec -n 4 {way} ./openmp cancel", 0, r"\A(ok\n){4}\Z", None,
                     {"env": {**os.environ, "OMP_CANCELLATION": "true"}}))
    bench.done()


main()
