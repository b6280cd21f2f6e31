"""The table of ratios: one telling figure of each question, each library against the first one."""
import html

# question, bench, quantity, parameters (of those that were measured, the last of each list is taken)
ROWS = [
    ("half round trip, MPI_THREAD_SINGLE", "overhead", "half round trip", {"level": "single", "size": 0}),
    ("half round trip, MPI_THREAD_MULTIPLE", "overhead", "half round trip", {"level": "multiple", "size": 0}),
    ("bandwidth of 64 KiB, 4 pairs of processes", "bandwidth", "bandwidth",
     {"mode": "processes", "pairs": 4, "size": 65536}),
    ("bandwidth of 64 KiB, 4 pairs of threads", "bandwidth", "bandwidth",
     {"mode": "threads", "pairs": 4, "size": 65536, "comms": "shared"}),
    ("half round trip of 8 bytes, 4 pairs of processes", "latency", "half round trip",
     {"mode": "processes", "pairs": 4, "size": 8}),
    ("half round trip of 8 bytes, 4 pairs of threads", "latency", "half round trip",
     {"mode": "threads", "pairs": 4, "size": 8, "comms": "shared"}),
    ("the same, a communicator each", "latency", "half round trip",
     {"mode": "threads", "pairs": 4, "size": 8, "comms": "own"}),
    ("message rate, 1P-1P", "message_rate", "message rate", {"mode": "processes", "pairs": 1}),
    ("message rate, 1T-1T", "message_rate", "message rate",
     {"mode": "threads", "pairs": 1, "comms": "shared"}),
    ("message rate, 4P-4P", "message_rate", "message rate", {"mode": "processes", "pairs": 4}),
    ("message rate, 4T-4T", "message_rate", "message rate",
     {"mode": "threads", "pairs": 4, "comms": "shared"}),
    ("the same, a communicator each", "message_rate", "message rate",
     {"mode": "threads", "pairs": 4, "comms": "own"}),
    ("short message, alone", "short_long", "short message, mean", {"senders": "none"}),
    ("short message, long ones by a process", "short_long", "short message, mean",
     {"senders": "processes"}),
    ("short message, long ones by a thread", "short_long", "short message, mean", {"senders": "threads"}),
    ("step of communication and computation", "overlap", "both", {"helper": "none", "size": 262144}),
    ("the same with a helper thread", "overlap", "both", {"helper": "thread", "size": 262144}),
    ("allreduce of 8 bytes, 4 communicators, processes", "collectives", "allreduce",
     {"mode": "processes", "pairs": 4, "size": 8}),
    ("allreduce of 8 bytes, 4 communicators, threads", "collectives", "allreduce",
     {"mode": "threads", "pairs": 4, "size": 8}),
    ("allreduces a second beside a computing thread", "collective_compute", "allreduces",
     {"beside": "computation", "threads": 1}),
    ("computation beside allreduces", "collective_compute", "computation rate",
     {"beside": "collectives", "threads": 1}),
    ("neighbour message rate, 4 threads, predefined", "neighbor_rate", "message rate",
     {"objects": "predefined", "threads": 4}),
    ("neighbour message rate, 4 threads, derived", "neighbor_rate", "message rate",
     {"objects": "derived", "threads": 4}),
    ("match among 10,000 receives, reversed", "match_depth", "time of a match",
     {"queue": "posted", "order": "reversed", "depth": 10000}),
    ("match among 10,000 receives, wildcard", "match_depth", "time of a match",
     {"queue": "posted", "order": "wildcard", "depth": 10000}),
    ("match among 10,000 messages, random", "match_depth", "time of a match",
     {"queue": "unexpected", "order": "random", "depth": 10000}),
    ("communicators made and freed, 2 threads", "object_churn", "objects", {"kind": "comm", "threads": 2}),
    ("types made, used and freed, 2 threads", "object_churn", "objects",
     {"kind": "type-used", "threads": 2}),
    ("computing share, 8 pairs of processes", "oversubscription", "computing share of the cores",
     {"mode": "processes", "pairs": 8}),
    ("computing share, 8 pairs of threads", "oversubscription", "computing share of the cores",
     {"mode": "threads", "pairs": 8}),
]


def number(value):
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g} M"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def times_better(point, first):
    """Above 1: `point` is better than `first`; None where a ratio says nothing."""
    if point.value <= 0 or first.value <= 0:
        return None
    return point.value / first.value if point.better == "more" else first.value / point.value


def times_text(times):
    """4.5x better, or 1/13 as good."""
    def short(value):
        return f"{value:,.0f}" if value >= 99.5 else f"{value:.2g}"
    return f"{short(times)}×" if times >= 0.95 else f"1/{short(1 / times)}"


def cells(results):
    """(question, unit, [(value, times better than the first column's) or None]) of each row."""
    for question, bench, quantity, fixed in ROWS:
        points = [results.find(bench, quantity, label, **fixed) for label in results.labels]
        found = [point for point in points if point]
        if not found:
            continue
        first = points[0]
        yield question, found[0].unit, [
            point and (point.value, times_better(point, first) if first else None) for point in points]


def html_cell(cell, is_first):
    if cell is None:
        return "<td>–</td>"
    value, times = cell
    if is_first or times is None:
        return f"<td>{number(value)}</td>"
    kind = ' class="better"' if times > 1.1 else ' class="worse"' if times < 1 / 1.1 else ""
    return f"<td{kind}>{number(value)} <small>{times_text(times)}</small></td>"


def table(results):
    heads = "".join(f"<th>{html.escape(label)}</th>" for label in results.labels)
    rows = "".join(
        f"<tr><td>{html.escape(question)}, {html.escape(unit)}</td>"
        + "".join(html_cell(cell, i == 0) for i, cell in enumerate(row)) + "</tr>"
        for question, unit, row in cells(results))
    first = html.escape(results.labels[0]) if results.labels else ""
    return (f"<h2>At a glance</h2><p class=\"about\">Medians; small: how many times better than {first}; "
            f"1/n: as many times worse.</p><table><tr><th></th>{heads}</tr>{rows}</table>")


def markdown(results):
    """The same table, to quote."""
    lines = ["| " + " | ".join(["", *results.labels]) + " |", "|---" * (1 + len(results.labels)) + "|"]
    for question, unit, row in cells(results):
        shown = [number(cell[0]) + (f" ({times_text(cell[1])})" if cell[1] and i else "") if cell else "–"
                 for i, cell in enumerate(row)]
        lines.append("| " + " | ".join([f"{question}, {unit}", *shown]) + " |")
    return "\n".join(lines) + "\n"
