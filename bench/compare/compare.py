"""Measures Heddle beside other MPIs: the same C programs, in turns, each with its best settings.

Every run is noted in results/ (JSON lines) together with the state of the machine just before and after it. Prints tables of
these notes; `./dev bench report` writes the pages of docs/reference.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "bench/threads"))  # at the end: measure, report are the ones here
sys.path.insert(0, str(ROOT / "tools"))
import jobs  # noqa: E402
import mpis  # noqa: E402
import plan  # noqa: E402
import programs  # noqa: E402
import tables  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MACHINE = mpis.BUILD / "machine"
IDLE_SECONDS = 5


def read_options():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"any of: {' '.join(plan.WHATS)}; default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one round, small problems")
    parser.add_argument("--mpis", default=",".join(mpis.BY_NAME), help="default: %(default)s")
    options = parser.parse_args()
    for name in options.what:
        if name not in plan.WHATS:
            parser.error(f"'{name}' is not measured; what is: {' '.join(plan.WHATS)}")
    return options


def compile_all(chosen):
    MACHINE.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-O2", "-o", MACHINE, ROOT / "bench/threads/machine.c", "-pthread"],
                   check=True)
    grid = programs.EXAMPLES / "grid"
    for mpi in chosen:
        mpi.program("").mkdir(parents=True, exist_ok=True)
        mpicc = [mpi.bin / "mpicc"]
        for name in programs.GRID_PROGRAMS:
            programs.compile_grid_program(mpicc, name, mpi.program(name), mpi.environ())
        programs.compile_grid_program([*mpicc, "-fopenmp"], "heat", mpi.program("heat_hybrid"), mpi.environ())
        for name in ("latency", "bandwidth", "exchange", "startup", "idle", "collectives", "objects", "layouts", "windows"):
            subprocess.run([*mpicc, *programs.FLAGS, f"-I{grid}", "-o", mpi.program(name),
                            HERE / f"programs/{name}.c", grid / "grid.c"], check=True,
                           env=mpi.environ())


def results_in(text):
    found = {name: float(value) for name, value in
             re.findall(r"^RESULT (\S+) (\S+)$", text, re.MULTILINE)}
    if "checksum" in text:
        grid = programs.Result(text)
        found.update(seconds=grid.seconds, checksum=grid.checksum, kib=grid.memory_kib)
    return found


def machine_state(*arguments):
    return results_in(subprocess.run([MACHINE, *arguments], capture_output=True, text=True).stdout)


def start(mpi, case):
    options = case.options if mpi is mpis.HEDDLE else ()
    return jobs.start(mpi.command(case.program, case.ranks, case.arguments, options),
                      mpi.environ(case.ranks, case.threads), subprocess.PIPE)


def run_case(mpi, case):
    begin = time.perf_counter()
    job = start(mpi, case)
    try:
        output, _ = job.communicate(timeout=case.timeout)
    except subprocess.TimeoutExpired:
        jobs.end_group(job)
        return {"gave_up": case.timeout}
    wall = time.perf_counter() - begin
    if job.returncode:
        return {"failed": job.returncode, "output": output[-500:]}
    return {"wall": wall, **results_in(output)}


def processor_seconds(program):
    """Of all processes that run the program. By name: some launchers start them in other groups."""
    ticks = 0
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if str(program) not in (process / "cmdline").read_text():
                continue
            fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has just ended
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def run_idle(mpi, case):
    job = start(mpi, case)
    line = job.stdout.readline()
    if line != "ready\n":
        jobs.end_group(job)
        return {"failed": 1, "output": line}
    time.sleep(1)
    before = processor_seconds(mpi.program(case.program))
    time.sleep(IDLE_SECONDS)
    used = processor_seconds(mpi.program(case.program)) - before
    jobs.end_group(job)
    return {"percent_of_a_core": 100 * used / IDLE_SECONDS}


def switch_times():
    """Nanoseconds of a hand-over by the scheduler and by bare instructions, from bench/exec."""
    run = subprocess.run([ROOT / "build/release/bench/exec/switch_bench",
                          "--benchmark_format=json", "--benchmark_filter=BM_BareSwitch|BM_ContextSwitch$|BM_Yield"],
                         capture_output=True, text=True, check=True)
    return {b["name"].removesuffix("/manual_time"): b["hand_over"] * 1e9
            for b in json.loads(run.stdout)["benchmarks"]}


class Noted:
    """A file of notes, which a later run with the same file goes on with: what it has is not measured again."""

    def __init__(self, path, **about):
        path.parent.mkdir(exist_ok=True)
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        self.done = {self.key(line) for line in lines}
        self.hopeless = {(line["mpi"], line["case"]) for line in lines if "gave_up" in line.get("values", {})}
        self.file = open(path, "a")
        if not lines:
            self.add(kind="machine", cores=len(os.sched_getaffinity(0)), system=platform.platform(), cpu=cpu_name(),
                     date=time.strftime("%Y-%m-%d"), load=round(os.getloadavg()[0], 1), **about)

    @staticmethod
    def key(line):
        return tuple(line.get(name) for name in ("kind", "mpi", "case", "part", "round"))

    def add(self, **line):
        self.done.add(self.key(line))
        if "gave_up" in line.get("values", {}):
            self.hopeless.add((line["mpi"], line["case"]))
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def lacks(self, **line):
        return self.key(line) not in self.done and (line.get("mpi"), line.get("case")) not in self.hopeless


def measure(chosen, cases, rounds, noted, with_switch):
    """Runs everything in turns; adds to the notes after each run."""
    for number in range(rounds):
        if noted.lacks(kind="limits", round=number):
            noted.add(kind="limits", round=number, values=machine_state())
        if with_switch and noted.lacks(kind="limits", part="switch", round=number):
            noted.add(kind="limits", part="switch", round=number, values=switch_times())
        for case in cases:
            for mpi in [m for m in chosen if m is mpis.HEDDLE or not case.only_heddle]:
                run = {"kind": "run", "mpi": mpi.name, "case": case.key, "round": number}
                if not noted.lacks(**run):
                    continue
                before = machine_state("trip").get("trip_ns", 0)
                values = (run_idle if case.kind == "idle" else run_case)(mpi, case)
                after = machine_state("trip").get("trip_ns", 0)
                noted.add(**run, trips=[before, after], values=values)
                show(number, mpi, case, before, after, values)


def show(round_number, mpi, case, before, after, values):
    shown = {k: float(f"{v:.4g}") for k, v in values.items() if isinstance(v, (int, float))}
    print(f"round {round_number + 1}  {case.key:22} {mpi.name:8} trip {before:.0f}/{after:.0f} ns  "
          f"{shown}", flush=True)


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def install(chosen):
    for mpi in chosen:
        mpi.install()
    compile_all(chosen)


def main():
    options = read_options()
    chosen = [mpis.BY_NAME[name] for name in options.mpis.split(",")]
    install(chosen)
    wanted = options.what or plan.WHATS
    path = ROOT / "results" / time.strftime("%Y%m%d-%H%M%S.jsonl")
    measure(chosen, [case for case in plan.cases(options.quick) if case.what in wanted], 1 if options.quick else options.rounds,
            Noted(path), with_switch="switch" in wanted and mpis.HEDDLE in chosen)
    print("\n" + tables.tables(tables.Notes([path])))
    print(f"notes: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
