"""mpiexec --trace: the file holds what the program says that it did, and what is in it can have been."""
import collections
import json
import re
import sys

from table import Bench

SAYS = re.compile(r"^rank (\d+) calls (\d+) sent (\d+) (\d+) received (\d+) (\d+)$", re.M)
RANKS, FIRST_WORKERS, THREADS = 1, 1000, 4096  # trace_file.h
SLACK = 1.1  # us: shorter runs after idle time are left out


def inside(event, spans, slack=0.0):
    return any(s["ts"] - slack <= event["ts"] <= s["ts"] + s["dur"] + slack for s in spans)


class Trace:
    def __init__(self, path):
        self.events = json.loads(path.read_text())["traceEvents"]
        self.tracks = collections.defaultdict(list)  # spans
        for event in self.events:
            if event["ph"] == "X":
                self.tracks[event["pid"], event["tid"]].append(event)
        for spans in self.tracks.values():
            spans.sort(key=lambda e: (e["ts"], -e["dur"]))

    def of_rank(self, rank, phase):
        return [e for e in self.events if e["pid"] == RANKS and e["ph"] == phase and e["tid"] // THREADS == rank]

    def calls(self, rank):
        return [e for e in self.of_rank(rank, "X") if e["cat"] != "wait"]

    def runs(self, rank):
        """(worker, span), by time."""
        found = [((pid, tid), e) for (pid, tid), spans in self.tracks.items() if pid >= FIRST_WORKERS
                 for e in spans if e["name"] == f"rank {rank}"]
        return sorted(found, key=lambda run: run[1]["ts"])


def check_spans(trace, wrong):
    """Spans of a track lie within each other or apart."""
    for track, spans in trace.tracks.items():
        open_spans = []
        for span in spans:
            while open_spans and open_spans[-1] <= span["ts"] + 1e-4:
                open_spans.pop()
            if open_spans and span["ts"] + span["dur"] > open_spans[-1] + 1e-3:
                wrong.append(f"{span} leaves the span around it in {track}")
                return
            open_spans.append(span["ts"] + span["dur"])


def check_messages(trace, wrong):
    sent = {e["id"]: e for e in trace.events if e["ph"] == "s"}
    received = {e["id"]: e for e in trace.events if e["ph"] == "f"}
    arrows = sum(e["ph"] in "sf" for e in trace.events)
    if sent.keys() != received.keys() or arrows != 2 * len(sent):
        wrong.append(f"{len(sent)} messages are sent, {len(received)} received, in {arrows} events")
        return
    for id, tail in sent.items():
        head = received[id]
        if tail["args"] != head["args"] or tail["ts"] > head["ts"]:
            wrong.append(f"{tail} does not lead to {head}")
            return
        if head["tid"] // THREADS != tail["args"]["receiver"]:
            wrong.append(f"{head} is not at its receiver")
            return
        for event in (tail, head):
            if not inside(event, trace.tracks[RANKS, event["tid"]], 1e-3):
                wrong.append(f"{event} lies in no call")
                return


def check_rank(trace, said, has_workers, wrong):
    rank, calls, sent, sent_bytes, received, received_bytes = said
    spans = trace.calls(rank)
    tails, heads = trace.of_rank(rank, "s"), trace.of_rank(rank, "f")
    counted = (rank, len(spans), len(tails), sum(e["args"]["bytes"] for e in tails), len(heads),
               sum(e["args"]["bytes"] for e in heads))
    if counted != said:
        wrong.append(f"the trace has {counted}, but the rank says {said}")
    collectives = collections.Counter(e["name"] for e in spans if e["cat"] == "collective")
    if collectives != {"MPI_Barrier": 20, "MPI_Allgather": 20}:
        wrong.append(f"rank {rank} has the collectives {collectives}")
    if not has_workers:
        return
    runs = trace.runs(rank)
    for (_, before), (_, after) in zip(runs, runs[1:]):
        if before["ts"] + before["dur"] > after["ts"] + 1e-3:
            wrong.append(f"rank {rank} runs twice at a time: {before}, {after}")
            break
    late = [e for e in spans if not inside(e, [run for _, run in runs], SLACK)]
    if late:
        wrong.append(f"rank {rank} begins {late[0]} when it does not run")


def check_program(bench, options, workers):
    """`workers`: how many tracks of workers there must be."""
    line = f"mpiexec --trace out.json {options} ./figures 20"
    result = bench.run(line)
    wrong = [] if result.returncode == 0 else [f"exit status {result.returncode}"]
    said = sorted(tuple(map(int, words)) for words in SAYS.findall(result.stdout))
    trace = Trace(bench.work / "out.json")
    if result.stderr:
        wrong.append("standard error is not empty")
    dropped = [e["args"]["events"] for e in trace.events if e["name"] == "heddle_dropped"]
    if not dropped or any(dropped):
        wrong.append(f"events are dropped: {dropped}")
    if not said:
        wrong.append("the ranks have said nothing")
    found = sum(pid >= FIRST_WORKERS for pid, _ in trace.tracks)
    if found != workers:
        wrong.append(f"{found} workers have run ranks, not {workers}")
    for each in said:
        check_rank(trace, each, workers > 0, wrong)
    check_spans(trace, wrong)
    check_messages(trace, wrong)
    left = [path.name for path in bench.work.glob("out.json.*")]
    if left:
        wrong.append(f"parts are left: {left}")
    bench.report(f"--trace, {options}", wrong, f"$ {line}\n{result.stdout}{result.stderr}")


def check_moves(bench):
    """Rank 0 goes to worker 1 and back, 5 times. A move is told once it takes effect, which the next one may come before."""
    result = bench.run("mpiexec --trace moves.json --workers 2 -n 2 ./waited_for move")
    trace = Trace(bench.work / "moves.json")
    moves = [e["name"] for e in trace.of_rank(0, "i")]
    wanted = ["moves from worker 0 to 1", "moves from worker 1 to 0"] * 5
    wrong = [] if 2 <= len(moves) and moves == wanted[:len(moves)] else [f"the moves are {moves}"]
    bench.report("moves", wrong, result.stdout + result.stderr)


def check_threads(bench):
    """Rank 0 makes more threads than it has tracks. What they call stays on its tracks."""
    result = bench.run("mpiexec --trace threads.json -n 2 ./many_threads")
    trace = Trace(bench.work / "threads.json")
    calls = [sum(e["name"] == "MPI_Comm_rank" for e in trace.calls(rank)) for rank in range(2)]
    wrong = [] if calls == [4301, 1] else [f"the ranks have called MPI_Comm_rank {calls} times"]
    check_spans(trace, wrong)
    bench.report("more threads than tracks", wrong, result.stdout + result.stderr)


def check_arguments(bench, options):
    """What calls were asked for is what the program says; MPI_COMM_WORLD has number 1, and a copy another one."""
    result = bench.run(f"mpiexec --trace asked.json {options} -n 3 ./asked")
    trace = Trace(bench.work / "asked.json")
    wrong = [] if result.returncode == 0 else [f"exit status {result.returncode}"]
    for rank in range(3):
        found = [(e["name"], e.get("args", {})) for e in trace.calls(rank)]
        copy = next((args["communicator"] for name, args in found if name == "MPI_Allreduce"), 1)
        window = next((args.get("window") for name, args in found if name == "MPI_Put"), None)
        following, before = (rank + 1) % 3, (rank + 2) % 3
        wanted = [("MPI_Comm_rank", {"communicator": 1}), ("MPI_Comm_dup", {"communicator": 1}), ("MPI_Type_contiguous", {}),
                  ("MPI_Type_commit", {}), ("MPI_Bcast", {"root": 1, "bytes": 80, "communicator": 1}),
                  ("MPI_Reduce", {"root": 2, "bytes": 8, "communicator": 1}), ("MPI_Allreduce", {"bytes": 8, "communicator": copy}),
                  ("MPI_Isend", {"dest": following, "tag": 5, "bytes": 48, "communicator": 1}),
                  ("MPI_Recv", {"source": before, "tag": 5, "bytes": 48, "communicator": 1}), ("MPI_Wait", {}),
                  ("MPI_Sendrecv", {"dest": following, "source": before, "tag": 6, "bytes": 4, "communicator": copy}),
                  ("MPI_Send", {"dest": -3, "tag": 7, "bytes": 0, "communicator": 1}),
                  ("MPI_Probe", {"source": -3, "tag": -2, "communicator": 1}),
                  ("MPI_Win_lock", {"target": following, "window": window}),
                  ("MPI_Put", {"target": following, "bytes": 24, "window": window}),
                  ("MPI_Fetch_and_op", {"target": following, "bytes": 4, "window": window}), ("MPI_Win_flush_all", {"window": window}),
                  ("MPI_Win_unlock", {"target": following, "window": window})]
        found = [each for each in found if each[0] in dict(wanted)]
        wrong += [f"rank {rank}: {each}, not {other}" for each, other in zip(found, wanted) if each != other]
        if len(found) != len(wanted) or copy == 1 or window is None:
            wrong.append(f"rank {rank} has {len(found)} calls; the copy has number {copy}, the window {window}")
    bench.report(f"arguments of calls, {options}", wrong, result.stdout + result.stderr)


def main():
    bench = Bench(sys.argv)
    bench.compile("asked", "figures", "many_threads", "waited_for")
    check_program(bench, "--workers 2 -n 4", 2)
    check_program(bench, "--workers 1 -n 3", 1)
    check_program(bench, "--workers 1 -n 1", 1)
    check_program(bench, "--processes 2 --workers 1 -n 5", 2)
    check_program(bench, "--ranks-as processes -n 3", 0)
    for options in ("--workers 2", "--ranks-as processes"):
        check_arguments(bench, options)
    check_moves(bench)
    check_threads(bench)
    bench.check(("a file that cannot be written", "mpiexec --trace /nowhere/out.json -n 2 ./figures 1", 0, "^rank 0",
                 "no trace can be written to /nowhere/out.json"))
    bench.done()


main()
