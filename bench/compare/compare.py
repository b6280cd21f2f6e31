"""Measures Heddle beside other MPIs: the same C programs, in turns, each with its best settings.

Every run is noted in results/ (JSON lines) together with the state of the machine just before and after
it; a full run then writes docs/reference/comparison.md from these notes.
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
sys.path.append(str(ROOT / "bench/threads"))  # at the end: report is the one here
sys.path.insert(0, str(ROOT / "tools"))
import jobs  # noqa: E402
import mpis  # noqa: E402
import plan  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
MACHINE = mpis.BUILD / "machine"
IDLE_SECONDS = 5


def read_options():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("what", nargs="*", help=f"any of: {' '.join(plan.WHATS)}; default: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one round, small problems, no report")
    parser.add_argument("--mpis", default=",".join(mpis.BY_NAME), help="default: %(default)s")
    parser.add_argument("--report", metavar="FILE", nargs="+",
                        help="only write docs/reference/comparison.md, from the notes of earlier runs")
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
        for name in ("latency", "bandwidth", "exchange", "startup", "idle", "collectives", "objects", "layouts"):
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


def measure(chosen, cases, rounds, path, with_switch):
    """Runs everything in turns; appends a line to the file after each run."""
    with open(path, "w") as file:
        def note(**line):
            file.write(json.dumps(line) + "\n")
            file.flush()

        note(kind="machine", cores=len(os.sched_getaffinity(0)), system=platform.platform(),
             cpu=cpu_name(), date=time.strftime("%Y-%m-%d"), rounds=rounds)
        hopeless = set()  # (MPI, case) that gave up once
        for round_number in range(rounds):
            note(kind="limits", round=round_number, values=machine_state())
            if with_switch:
                note(kind="limits", round=round_number, values=switch_times())
            for case in cases:
                for mpi in [m for m in chosen if m is mpis.HEDDLE or not case.only_heddle]:
                    if (mpi.name, case.key) in hopeless:
                        continue
                    before = machine_state("trip").get("trip_ns", 0)
                    values = (run_idle if case.kind == "idle" else run_case)(mpi, case)
                    after = machine_state("trip").get("trip_ns", 0)
                    if "gave_up" in values:
                        hopeless.add((mpi.name, case.key))
                    note(kind="run", mpi=mpi.name, case=case.key, round=round_number,
                         trips=[before, after], values=values)
                    show(round_number, mpi, case, before, after, values)


def show(round_number, mpi, case, before, after, values):
    shown = {k: float(f"{v:.4g}") for k, v in values.items() if isinstance(v, (int, float))}
    print(f"round {round_number + 1}  {case.key:22} {mpi.name:8} trip {before:.0f}/{after:.0f} ns  "
          f"{shown}", flush=True)


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def main():
    options = read_options()
    target = ROOT / "docs/reference/comparison.md"
    if options.report:
        report.write(options.report, target)
        return
    chosen = [mpis.BY_NAME[name] for name in options.mpis.split(",")]
    for mpi in chosen:
        mpi.install()
    compile_all(chosen)
    wanted = options.what or plan.WHATS
    cases = [case for case in plan.cases(options.quick) if case.what in wanted]
    path = ROOT / "results" / time.strftime("%Y%m%d-%H%M%S.jsonl")
    path.parent.mkdir(exist_ok=True)
    measure(chosen, cases, 1 if options.quick else options.rounds, path,
            with_switch="switch" in wanted and mpis.HEDDLE in chosen)
    whole = not options.quick and not options.what and len(chosen) == len(mpis.ALL)
    if whole:
        report.write([path], target)
        print(f"\nwritten: {target.relative_to(ROOT)}")
    else:
        print("\n" + report.tables(report.Notes([path])))
    print(f"notes: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
