"""Turns the notes of a run into tables: one a question, all MPIs beside each other, near and far told apart."""
import json
import pathlib
import statistics

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

    def part(self, name):
        """What the script of that part (parts.py) has printed; empty if it has not run to its end."""
        return next((line["output"] for line in self.lines if line.get("part") == name and "output" in line), "")

    def rounds(self, name):
        """Of that part's script."""
        return next(line["rounds"] for line in self.lines if line.get("part") == name)

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


def _all_states(notes, case, name, title, show):
    for state in notes.states(case, name):
        if any(notes.values(mpi, case, name, state) for mpi in notes.mpis):
            yield f"### {title}, {notes.state_name(state)}\n\n{show(state)}"


def _by_sizes(title):
    """A question about two ranks and messages of many sizes."""
    def show(notes, what):
        yield from _all_states(notes, f"{what}/2", "8", title, lambda state: by_size(notes, what, state))
    return show


def _by_ranks(title, name):
    """A question with one answer a number of ranks."""
    def show(notes, what):
        if notes.cases(what):
            yield f"### {title}\n\n" + by_ranks(notes, what, name)
    return show


def _by_operations(title):
    """A question about many operations of so many ranks."""
    def show(notes, what):
        for case in notes.cases(what):
            yield from _all_states(notes, case, (notes.operations(case) or [""])[0], title.format(case.split("/")[1]),
                                   lambda state, case=case: by_operation(notes, case, state))
    return show


# What is asked, as plan.py names it, and how its answers are shown.
QUESTIONS = {
    "latency": _by_sizes("Half round trip, us"),
    "bandwidth": _by_sizes("Bandwidth, GB/s"),
    "sendrecv": _by_sizes("Two ranks call MPI_Sendrecv, us"),
    "waitall": _by_sizes("Two ranks call MPI_Irecv, MPI_Isend, MPI_Waitall, us"),
    "touched": _by_sizes("Half round trip of data that is read and written, us"),
    "heat": _by_ranks("heat: seconds of the same problem", "seconds"),
    "advection": _by_ranks("advection: seconds of the same problem", "seconds"),
    "hybrid": _by_ranks("heat with OpenMP, ranks x threads: seconds of the same problem", "seconds"),
    "startup": _by_ranks("Start and end of a job, seconds", "wall"),
    "memory": _by_ranks("Memory a rank (PSS after MPI_Init), KiB", "kib_a_rank"),
    "idle": _by_ranks("A job of which every rank waits: % of one core", "percent_of_a_core"),
    "collectives": _by_operations("Collectives of 8 bytes, {} ranks, us"),
    "long": _by_operations("Collectives of long data, {} ranks, us"),
    "communicators": _by_operations("Communicators, made and freed, {} ranks, us"),
    "windows": _by_operations("One rank accesses another one's window, {} ranks, us"),
    "synchronization": _by_operations("Epochs of windows, {} ranks, us"),
    "calls": _by_operations("Calls of {} rank, us"),
    "pack": _by_operations("MPI_Pack of layouts, us"),
    "unpack": _by_operations("MPI_Unpack of layouts, us"),
    "send": _by_operations("Half round trip of layouts, us"),
}


def tables(notes):
    return "\n".join(table for what, show in QUESTIONS.items() for table in show(notes, what))


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
