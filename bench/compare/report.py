"""Turns the notes of a run into tables and into docs/reference/comparison.md."""
import json
import pathlib
import statistics

import goals

NEAR_NS = 150  # a cache-line round trip below this: the two cores are near each other
ENOUGH = 3     # runs of each MPI in one state of the machine, to tell it from the others
MIXED = None   # runs of all states together


class Notes:
    """The notes of one or more runs (JSON lines)."""

    def __init__(self, paths):
        self.lines = [json.loads(line) for path in paths
                      for line in pathlib.Path(path).read_text().splitlines()]
        self.machine = self.lines[0]
        self.runs = [line for line in self.lines if line["kind"] == "run"]
        self.mpis = list(dict.fromkeys(run["mpi"] for run in self.runs))

    def states(self, case, name="8"):
        """The states that can be told apart in this case: all MPIs have been seen in them."""
        mpis = [mpi for mpi in self.mpis if self.values(mpi, case, name)]
        return [state for state in ("near", "far")
                if all(len(self.values(mpi, case, name, state)) >= ENOUGH for mpi in mpis)] or [MIXED]

    def state_name(self, state):
        return "states mixed" if state is MIXED else f"cores {state}"

    def values(self, mpi, case, name, state=MIXED):
        return [run["values"][name] for run in self.runs
                if run["mpi"] == mpi and run["case"] == case and name in run["values"]
                and (state is MIXED or on_one_core(case) or state == state_of(run))]

    def median(self, mpi, case, name, state=MIXED):
        found = self.values(mpi, case, name, state)
        return statistics.median(found) if found else None

    def best_peer(self, case, name, state, best):
        found = [m for mpi in self.mpis if mpi != "heddle"
                 if (m := self.median(mpi, case, name, state)) is not None]
        return best(found) if found else None

    def limit(self, name):
        found = [line["values"][name] for line in self.lines
                 if line["kind"] == "limits" and name in line["values"]]
        return statistics.median(found) if found else None

    def names(self, case):
        """What was measured in the case, in order."""
        return list(dict.fromkeys(name for run in self.runs if run["case"] == case
                                  for name in run["values"] if name[0].isdigit()))

    def operations(self, case):
        """The same of programs that name what they measure."""
        return list(dict.fromkeys(name for run in self.runs if run["case"] == case
                                  for name in run["values"] if name not in ("wall", "gave_up", "failed", "output")))

    def cases(self, what):
        return list(dict.fromkeys(run["case"] for run in self.runs
                                  if run["case"].split("/")[0] == what))

    def verdict(self, mpi, case):
        """Why there is no figure."""
        for run in self.runs:
            if run["mpi"] == mpi and run["case"] == case:
                if "gave_up" in run["values"]:
                    return f"gave up after {run['values']['gave_up']} s"
                if "failed" in run["values"]:
                    return "failed"
        return "-"


def on_one_core(case):
    return case.endswith("/one-worker")


def state_of(run):
    near = [trip < NEAR_NS for trip in run["trips"]]
    return "near" if all(near) else "jumped" if any(near) else "far"


def figure(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def cell(notes, mpi, case, name, state=MIXED):
    found = notes.values(mpi, case, name, state)
    if not found:
        return notes.verdict(mpi, case) if state is MIXED else "-"
    middle = figure(statistics.median(found))
    if len(found) == 1:
        return f"{middle} (1 run)"
    return f"{middle} [{figure(min(found))}–{figure(max(found))}]"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def by_size(notes, what, state):
    """Rows are message sizes, columns MPIs; Heddle also in its variants."""
    usual = f"{what}/2"
    columns = [(mpi, mpi, usual) for mpi in notes.mpis]
    for variant, name in (("processes", "heddle, processes"), ("one-worker", "heddle, one worker")):
        if notes.values("heddle", f"{usual}/{variant}", "8", state):
            columns.insert(1, (name, "heddle", f"{usual}/{variant}"))
    heads = ["bytes"] + [name for name, _, _ in columns]
    rows = [[f"{int(size):,}"] + [cell(notes, mpi, case, size, state) for _, mpi, case in columns]
            for size in notes.names(usual)]
    return table(heads, rows)


def by_ranks(notes, what, name):
    heads = ["ranks", *notes.mpis]
    rows = []
    for case in notes.cases(what):
        rows.append([case.split("/")[1]] + [cell(notes, mpi, case, name) for mpi in notes.mpis])
    return table(heads, rows)


def by_operation(notes, case, state):
    rows = [[name] + [cell(notes, mpi, case, name, state) for mpi in notes.mpis] for name in notes.operations(case)]
    return table(["", *notes.mpis], rows)


def operations(notes):
    for what, title in (("collectives", "Collectives of 8 bytes, {} ranks, us"), ("long", "Collectives of long data, {} ranks, us"),
                        ("communicators", "Communicators, made and freed, {} ranks, us"), ("calls", "Calls of {} rank, us"),
                        ("pack", "MPI_Pack of layouts, us"), ("unpack", "MPI_Unpack of layouts, us"),
                        ("send", "Half round trip of layouts, us")):
        for case in notes.cases(what):
            for state in notes.states(case, (notes.operations(case) or [""])[0]):
                yield (f"### {title.format(case.split('/')[1])}, {notes.state_name(state)}\n\n" +
                       by_operation(notes, case, state))


def tables(notes):
    parts = []
    for what, title in (("latency", "Half round trip, us"), ("bandwidth", "Bandwidth, GB/s"),
                        ("sendrecv", "Two ranks call MPI_Sendrecv, us"),
                        ("waitall", "Two ranks call MPI_Irecv, MPI_Isend, MPI_Waitall, us"),
                        ("touched", "Half round trip of data that is read and written, us")):
        for state in notes.states(f"{what}/2"):
            if any(notes.values(mpi, f"{what}/2", "8", state) for mpi in notes.mpis):
                parts.append(f"### {title}, {notes.state_name(state)}\n\n" + by_size(notes, what, state))
    for what, name, title in (
            ("heat", "seconds", "heat: seconds of the same problem"),
            ("advection", "seconds", "advection: seconds of the same problem"),
            ("hybrid", "seconds", "heat with OpenMP, ranks x threads: seconds of the same problem"),
            ("startup", "wall", "Start and end of a job, seconds"),
            ("memory", "kib_a_rank", "Memory a rank (PSS after MPI_Init), KiB"),
            ("idle", "percent_of_a_core", "A job of which every rank waits: % of one core")):
        if notes.cases(what):
            parts.append(f"### {title}\n\n" + by_ranks(notes, what, name))
    parts += operations(notes)
    return "\n".join(parts)


def limits(notes):
    rows = [["cache line to the other core and back, ns", figure(notes.limit("trip_ns") or 0)]]
    for bytes in (1024, 65536, 1048576, 4194304):
        rows.append([f"memcpy of {bytes:,} bytes, GB/s", figure(notes.limit(f"memcpy_{bytes}") or 0)])
    for name, what in (("BM_BareSwitch", "a bare stack switch with wrfsbase, ns"),
                       ("BM_ContextSwitch", "the switch between two ults, ns"),
                       ("BM_Yield/2", "a whole yield, ns"),
                       ("BM_Yield/1024", "the same among 1024, ns")):
        if notes.limit(name):
            rows.append([what, figure(notes.limit(name))])
    return table(["without MPI", "median"], rows)


def write(paths, target):
    notes = Notes(paths)
    machine = notes.machine
    target.write_text(f"""# Heddle beside other MPIs

<!-- Written by `./dev bench`; do not edit. How it is measured: docs/guide/measuring.md; what it means: docs/reference/performance.md -->

Measured on {machine['date']}: {machine['cores']} cores, {machine['cpu']}, {machine['system']}.
Median [smallest–largest] of {machine['rounds']} rounds in which the MPIs took turns. *near* and *far* are states of
the machine: how long a cache line takes between the two cores (below or above {NEAR_NS} ns before and after a run).
Where a state was not seen {ENOUGH} times with every MPI, runs of all states stand together: *states mixed*.

## Goals

{table(["goal", "wanted", "measured", "reached"], goals.rows(notes))}
{limits(notes)}
## Tables

{tables(notes)}""")
