"""The figures: one for each question. Each draws what the results have of it, or gives None."""
import dataclasses
import typing

import draw


@dataclasses.dataclass(frozen=True)
class Figure:
    name: str
    title: str
    about: str
    draw: typing.Callable


ALL = []


def figure(name, title, about):
    """Registers a function (results, looks) -> (matplotlib figure, axes) or None."""
    def add(function):
        def whole(results):
            looks = draw.Looks(results)
            made = function(results, looks)
            if made is None:
                return None
            drawn, axes = made
            draw.finish(drawn, looks, axes)
            return drawn
        ALL.append(Figure(name, title, about, whole))
        return function
    return add


def along(results, bench, quantity, x, **fixed):
    found = {label: results.along(bench, quantity, label, x, **fixed) for label in results.labels}
    return {label: row for label, row in found.items() if row}


def group(results, bench, quantity, **fixed):
    found = {label: results.find(bench, quantity, label, **fixed) for label in results.labels}
    return {label: point for label, point in found.items() if point}


def line_panels(results, looks, bench, quantity, x, cases, ylabel, xlabel, text, log=True):
    """One panel for each (title, fixed parameters) of which there is something."""
    rows = [(title, row) for title, fixed in cases
            if (row := along(results, bench, quantity, x, **fixed))]
    if not rows:
        return None
    columns = min(len(rows), 4)
    drawn, axes = draw.panels(columns, -(-len(rows) // columns))
    for one in list(axes.flat)[len(rows):]:
        one.set_visible(False)
    for one, (title, row) in zip(axes.flat, rows):
        draw.lines(one, looks, row, text)
        one.set_title(title)
        one.set_xlabel(xlabel)
        if log:
            one.set_yscale("log")
        else:
            one.set_ylim(bottom=0)
    for line in axes:
        line[0].set_ylabel(ylabel)
    same_limits(axes)
    return drawn, axes


def same_limits(axes):
    """Panels that are compared have the same scale."""
    limits = [one.get_ylim() for one in axes.flat if one.get_visible()]
    for one in axes.flat:
        one.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def modes(results, bench):
    """Panels by mode and number of pairs, communicators of their own last."""
    for count in results.values_of(bench, "pairs"):
        many = "1 pair" if count == 1 else f"{count} pairs"
        yield f"{many} of processes", {"mode": "processes", "pairs": count}
        shared = {"mode": "threads", "pairs": count}
        if results.values_of(bench, "comms"):
            shared["comms"] = "shared"
        yield f"{many} of threads", shared
    for count in results.values_of(bench, "pairs"):
        yield (f"{count} pairs of threads,\none communicator each",
               {"mode": "threads", "pairs": count, "comms": "own"})


@figure("overhead", "What does MPI_THREAD_MULTIPLE cost a program that uses one thread?",
        "Half round trip between two ranks; right: MPI_THREAD_MULTIPLE over MPI_THREAD_SINGLE, 1 is free.")
def overhead(results, looks):
    levels = {level: along(results, "overhead", "half round trip", "size", level=level)
              for level in ("single", "multiple")}
    if not any(levels.values()):
        return None
    drawn, axes = draw.panels(3)
    for one, (level, rows) in zip(axes[0], levels.items()):
        draw.lines(one, looks, rows, draw.bytes_text)
        one.set_title(f"MPI_THREAD_{level.upper()}")
        one.set_yscale("log")
    axes[0][0].set_ylabel("half round trip, us")
    same_limits(axes[:, :2])
    ratios = {label: ratio(levels["single"][label], row) for label, row in levels["multiple"].items()
              if label in levels["single"]}
    for label, row in ratios.items():
        xs = [x for x, _ in row]
        axes[0][2].plot([draw.place(x, xs) for x in xs], [value for _, value in row], label=label,
                        **looks.line(label))
        draw.log_axis(axes[0][2].xaxis, xs, draw.bytes_text)
    axes[0][2].axhline(1, color="#999", linewidth=0.8)
    axes[0][2].set_yscale("log")
    axes[0][2].set_title("MULTIPLE over SINGLE")
    axes[0][2].set_ylabel("times as long")
    for one in axes.flat:
        one.set_xlabel("message")
    return drawn, axes


def ratio(below, above):
    base = {x: point.value for x, point in below}
    return [(x, point.value / base[x]) for x, point in above if x in base]


@figure("bandwidth", "How much do several pairs move together?",
        "Windows of 8 messages; all pairs together. Processes against threads of two ranks.")
def bandwidth(results, looks):
    return line_panels(results, looks, "bandwidth", "bandwidth", "size", modes(results, "bandwidth"),
                       "GB/s of all pairs", "message", draw.bytes_text)


@figure("latency", "How long does a message take when several pairs talk at the same time?",
        "Ping-pongs of all pairs at once. Lower is better.")
def latency(results, looks):
    return line_panels(results, looks, "latency", "half round trip", "size", modes(results, "latency"),
                       "half round trip, us", "message", draw.bytes_text)


@figure("message_rate", "How many empty messages a second?",
        "Zero bytes, an answer after every 256; P: pairs of processes, T: pairs of threads of two ranks, "
        "T*: the same with a communicator for each pair.")
def message_rate(results, looks):
    groups = {}
    for count in results.values_of("message_rate", "pairs"):
        for name, fixed in (("P", {"mode": "processes"}), ("T", {"mode": "threads", "comms": "shared"}),
                            ("T*", {"mode": "threads", "comms": "own"})):
            found = group(results, "message_rate", "message rate", pairs=count, **fixed)
            if found:
                groups[f"{count}{name[0]}–{count}{name}"] = found
    if not groups:
        return None
    drawn, axes = draw.panels(1, height=3.8)
    drawn.set_size_inches(10, 4)
    draw.bars(axes[0][0], looks, groups)
    axes[0][0].set_ylabel("messages/s of all pairs")
    return drawn, axes


@figure("short_long", "Do long messages hold up short ones?",
        "Each short message's time, in the order in which they came, while somebody sends messages of "
        "4 MiB: nobody, another process, another thread of the same rank. A fair library keeps the dots "
        "where they are in the first panel. Below: their quartiles and mean, and the long ones' bandwidth.")
def short_long(results, looks):
    names = [("none", "short messages alone"), ("processes", "long ones by another process"),
             ("threads", "long ones by another thread")]
    # Variants have their library's colour: one of each library is enough dots.
    first = {results.names[label]: label for label in reversed(results.labels)}
    series = {senders: {label: point.series for label in first.values()
                        if (point := results.find("short_long", "each short message", label,
                                                  senders=senders))} for senders, _ in names}
    if not any(series.values()):
        return None
    drawn, axes = draw.panels(3, 2)
    for one, (senders, title) in zip(axes[0], names):
        draw.dots(one, looks, dict(reversed(series[senders].items())))
        one.set_title(title)
        one.set_xlabel("number of the short message")
    axes[0][0].set_ylabel("us")
    same_limits(axes[:1])
    for one, (quantity, ylabel) in zip(axes[1], (("short message", "median, us"),
                                                 ("short message, mean", "mean, us"),
                                                 ("long bandwidth", "long messages, GB/s"))):
        groups = {text: group(results, "short_long", quantity, senders=senders) for senders, text in
                  (("none", "alone"), ("processes", "processes"), ("threads", "threads"))}
        if quantity.startswith("long"):
            del groups["alone"]
        draw.bars(one, looks, groups)
        one.set_ylabel(ylabel)
    return drawn, axes


@figure("overlap", "Does communication go on while a rank computes?",
        "A step is communication with both neighbours and about as much computation. 100 %: the shorter of "
        "the two costs nothing; 0 %: one after the other; below: they hinder each other (bars end at "
        "-100). Helper: a second thread blocked in MPI_Recv.")
def overlap(results, looks):
    sizes = results.values_of("overlap", "size")
    if not sizes:
        return None
    drawn, axes = draw.panels(2, len(sizes))
    for line, size in zip(axes, sizes):
        for one, quantity, unit in zip(line, ("hidden", "both"), ("hidden, %", "one step, us")):
            groups = {text: group(results, "overlap", quantity, size=size, helper=helper)
                      for helper, text in (("none", "no helper"), ("thread", "helper thread"))}
            draw.bars(one, looks, groups, log=quantity == "both")
            one.set_ylabel(unit)
            one.set_title(f"messages of {draw.bytes_text(size)}")
        line[0].set_ylim(-100, 120)
        line[0].axhline(0, color="#999", linewidth=0.8)
    return drawn, axes


@figure("collectives", "What does a collective cost when several communicators are busy?",
        "Allreduce on communicators of two ranks each, by processes or by threads of the same two ranks.")
def collectives(results, looks):
    return line_panels(results, looks, "collectives", "allreduce", "size",
                       [(title.replace("pairs", "communicators").replace("pair", "communicator")
                         .replace(" of ", ", "), fixed) for title, fixed in modes(results, "collectives")],
                       "allreduce, us", "reduced", draw.bytes_text)


@figure("collective_compute", "Do computing threads and a thread in collectives hinder each other?",
        "Two ranks, each with its main thread in a loop of allreduces and further threads that compute. "
        "Right: computation beside collectives, as a share of computation alone.")
def collective_compute(results, looks):
    counts = results.values_of("collective_compute", "threads")
    if not counts:
        return None
    drawn, axes = draw.panels(2)
    groups, shares = {}, {}
    for count in counts:
        threads = "1 thread" if count == 1 else f"{count} threads"
        alone = group(results, "collective_compute", "allreduces", threads=count, beside="nothing")
        groups.setdefault("alone", alone)
        groups[f"beside\n{threads}"] = group(results, "collective_compute", "allreduces", threads=count,
                                             beside="computation")
        shares[threads] = {}
        for label in results.labels:
            both = [results.find("collective_compute", "computation rate", label, threads=count,
                                 beside=beside) for beside in ("nothing", "collectives")]
            if all(both):
                scale = 100 / both[0].value
                shares[threads][label] = dataclasses.replace(
                    both[1], **{name: [scale * value for value in getattr(both[1], name)]
                                for name in ("medians", "low", "high")})
    draw.bars(axes[0][0], looks, groups)
    axes[0][0].set_ylabel("allreduces/s")
    draw.bars(axes[0][1], looks, shares, log=False)
    axes[0][1].set_ylabel("computation, % of alone")
    return drawn, axes


@figure("neighbor_rate", "How many messages a second do the threads of one rank exchange?",
        "Neighbor Message Rate: each thread of rank 0 has a neighbour rank of its own; 12 Irecv, 12 Isend, "
        "Waitall. Derived: a communicator and a datatype of the program, whose references some libraries "
        "count.")
def neighbor_rate(results, looks):
    return line_panels(results, looks, "neighbor_rate", "message rate", "threads",
                       [(f"{objects} objects", {"objects": objects})
                        for objects in ("predefined", "derived")],
                       "messages/s of all threads", "threads of rank 0", draw.count_text)


@figure("match_depth", "What does it cost to find a message or a receive in a long queue?",
        "Time of one match while the queue holds so many entries; flat is good. At most 128 are met, one after "
        "the other: with fewer, posted ones bear more of the round trip that sets them off. Wildcard: random "
        "order, receives with MPI_ANY_SOURCE.")
def match_depth(results, looks):
    return line_panels(results, looks, "match_depth", "time of a match", "depth",
                       [(f"{queue}, {order}" + (" order" if order == "in" else ""),
                         {"queue": queue, "order": order})
                        for queue in ("posted", "unexpected")
                        for order in ("in", "reversed", "random", "wildcard")],
                       "us a match", "entries in the queue", draw.count_text)


@figure("object_churn", "How fast do objects come and go, and what memory do they keep?",
        "Threads of one rank make and free objects of their own; -used: freed while a message still needs "
        "them. Memory: growth of the resident set; below a page it is noise.")
def object_churn(results, looks):
    counts = results.values_of("object_churn", "threads")
    if not counts:
        return None
    rows = [("objects", count, f"objects/s, {count} thread" + "s" * (count > 1)) for count in counts]
    rows += [("memory of a live object", counts[-1], "bytes of a live object"),
             ("memory kept of a freed object", counts[-1], "bytes kept of a freed one")]
    kinds = results.values_of("object_churn", "kind")
    drawn, axes = draw.panels(1, len(rows), 2.6)
    drawn.set_size_inches(12, 2.7 * len(rows))
    for (one,), (quantity, count, ylabel) in zip(axes, rows):
        kept = quantity.startswith("memory kept")  # may be 0
        draw.bars(one, looks, {kind: group(results, "object_churn", quantity, kind=kind, threads=count)
                               for kind in kinds}, log=not kept)
        if kept:
            one.set_yscale("symlog", linthresh=1)
            one.set_ylim(bottom=0)
        one.set_ylabel(ylabel)
    return drawn, axes


@figure("oversubscription", "What remains of the cores when there are more threads than cores?",
        "Pairs send a message to and fro; each side computes for 10 us before it answers. If waiting cost "
        "nothing, all cores would compute all the time, however many pairs there are.")
def oversubscription(results, looks):
    return line_panels(results, looks, "oversubscription", "computing share of the cores", "pairs",
                       [("pairs of processes", {"mode": "processes"}),
                        ("pairs of threads of two ranks", {"mode": "threads"})],
                       "computing share of the cores, %", "pairs", draw.count_text, log=False)
