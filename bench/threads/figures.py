"""The figures: one for each program. Each draws what the results have of it, or gives None."""
import draw
from panels import ALL, along, dot_panel, figure, line_panels, modes  # noqa: F401

KINDS = (("ranks", {"mode": "processes"}), ("threads", {"mode": "threads", "comms": "shared"}))


@figure("overhead", "What does a thread level cost a program that uses one thread?",
        "Two ranks send a message to and fro; half of a round trip. Lower is better. The other panels: the time "
        "with a higher level over that with MPI_THREAD_SINGLE; at 1 the level costs nothing.")
def overhead(results, looks):
    levels = {level: along(results, "overhead", "half round trip", "size", level=level, buffers="cached")
              for level in ("single", "multiple", "serialized", "funneled")}
    found = [level for level, (rows, _) in levels.items() if rows]
    if not found:
        return None
    canvas = draw.Canvas(looks, 2, -(-len(found) // 2))
    for one in list(canvas.axes.flat)[len(found):]:
        one.set_visible(False)
    first = found[0]
    for one, level in zip(canvas.axes.flat, found):
        rows, failed = levels[level]
        one.set_xlabel("message")
        if level == first:
            canvas.lines(one, rows, failed, draw.bytes_text)
            one.set_title(f"MPI_THREAD_{level.upper()}")
            one.set_ylabel("half round trip, us")
            one.set_yscale("log")
            continue
        base = levels[first][0]
        ratios = {label: {x: ratio(point, base[label][x]) for x, point in row.items() if x in base[label]}
                  for label, row in rows.items() if label in base}
        canvas.lines(one, ratios, failed, draw.bytes_text)
        one.axhline(1, color="#999", linewidth=0.8)
        draw.log_scale(one, [point.value for row in ratios.values() for point in row.values()])
        one.set_title(f"MPI_THREAD_{level.upper()} over {first.upper()}")
        one.set_ylabel("times as long")
    draw.same_limits(canvas.axes.flat[1:])
    return canvas


def ratio(above, below):
    """A Point whose range is the widest that both ranges allow."""
    rounds = [(above.range[i] / below.range[j],) * 3 for i, j in ((0, 1), (1, 0))]
    return type(above)("times", "less", [(above.value / below.value,) * 3, *rounds])


@figure("bandwidth", "How much do several pairs move together?",
        "Each pair sends windows of 8 messages; the bytes of all pairs over the slowest one's time. Higher is "
        "better. The same buffers are used again and again, so messages stay in the caches where they fit, unless "
        "the panel says otherwise.")
def bandwidth(results, looks):
    usual = {"direction": "one", "buffers": "cached"}
    cases = list(modes(results, "bandwidth", **usual))
    for count in results.values_of("bandwidth", "pairs"):
        for name, fixed in KINDS:
            many = f"{count} pair{'s' * (count > 1)} of {name}"
            cases += [(f"{many}, both directions", {**fixed, "pairs": count, **usual, "direction": "both"}),
                      (f"{many}, from memory", {**fixed, "pairs": count, **usual, "buffers": "memory"})]
    return line_panels(results, looks, "bandwidth", "bandwidth", "size", cases,
                       "GB/s of all pairs", "message", draw.bytes_text)


@figure("latency", "How long does a message take when several pairs talk at the same time?",
        "All pairs send a message to and fro at the same time; half of a round trip. Lower is better.")
def latency(results, looks):
    return line_panels(results, looks, "latency", "half round trip", "size",
                       modes(results, "latency", buffers="cached"), "half round trip, us", "message",
                       draw.bytes_text)


@figure("message_rate", "How many empty messages a second?",
        "Messages of no bytes, with an answer after every 256 of them. Above: all messages over the slowest "
        "pair's time. Below: the sum of the rates that each pair measured itself, which hides a pair that "
        "starves. Higher is better. 4 to 1: four senders, one receiver.")
def message_rate(results, looks):
    counts = results.values_of("message_rate", "pairs")
    if not counts:
        return None
    kinds = (*KINDS, ("threads, a\ncommunicator each", {"mode": "threads", "comms": "own"}))
    cases = [(f"{count} pair{'s' * (count > 1)} of\n{name}", {"pairs": count, "receivers": count, **fixed})
             for name, fixed in kinds for count in counts]
    cases += [(f"threads,\n{senders} to {receivers}", {"pairs": senders, "receivers": receivers, "mode": "threads"})
              for senders in counts for receivers in results.values_of("message_rate", "receivers")
              if senders != receivers]
    canvas = draw.Canvas(looks, 1, 2)
    for one, quantity, ylabel in zip(canvas.axes.flat, ("message rate", "message rate, sum of pairs"),
                                     ("messages/s, all", "messages/s, sum of pairs")):
        dot_panel(canvas, one, results, [(name, "message_rate", quantity, fixed) for name, fixed in cases], ylabel)
    draw.same_limits(canvas.axes.flat)
    return canvas


@figure("short_long", "Do long messages hold up short ones?",
        "Above: the time of each short message, in the order in which they came, while long messages of "
        "4 MiB are under way: none, another rank's, another thread's of the same rank. Where a library is fair, "
        "its dots stay at the height of the first panel. Below: the median and the mean of the short ones "
        "(lower is better), and the long ones' bandwidth (higher is better).")
def short_long(results, looks):
    names = [("none", "no long messages"), ("processes", "long messages of another rank"),
             ("threads", "long messages of another thread")]
    # Variants have their library's colour: one of each library is enough dots.
    first = {results.names[label]: label for label in reversed(results.labels)}
    series = {senders: {label: point.series for label in first.values()
                        if (point := results.find("short_long", "each short message", label,
                                                  senders=senders))} for senders, _ in names}
    if not any(series.values()):
        return None
    canvas = draw.Canvas(looks, 3, 2)
    for one, (senders, title) in zip(canvas.axes[0], names):
        canvas.cloud(one, dict(reversed(series[senders].items())))
        one.set_title(title)
        one.set_xlabel("number of the short message")
    canvas.panel(0).set_ylabel("one short message, us")
    draw.same_limits(canvas.axes[0])
    texts = {"none": "no long ones", "processes": "another\nrank's", "threads": "another\nthread's"}
    for one, (quantity, ylabel) in zip(canvas.axes[1], (
            ("short message", "short, median, us"), ("short message, mean", "short, mean, us"),
            ("long bandwidth", "long, GB/s"))):
        dot_panel(canvas, one, results, [(text, "short_long", quantity, {"senders": senders})
                                         for senders, text in texts.items()
                                         if senders != "none" or quantity != "long bandwidth"], ylabel)
    return canvas


@figure("overlap", "Does communication go on while a rank computes?",
        "A step is an exchange with four neighbours and about as much computation. Left, higher is better: at "
        "100 % the shorter of the two costs nothing, at 0 % one comes after the other, below they hinder each "
        "other. Right: the whole step, lower is better. Helper thread: a second thread that is blocked in "
        "MPI_Recv all the time.")
def overlap(results, looks):
    sizes = results.values_of("overlap", "size")
    if not sizes:
        return None
    canvas = draw.Canvas(looks, 2, len(sizes))
    for line, size in zip(canvas.axes, sizes):
        for one, quantity, unit in zip(line, ("hidden", "both"), ("hidden, %", "one step, us")):
            dot_panel(canvas, one, results,
                      [(text, "overlap", quantity, {"size": size, "helper": helper})
                       for helper, text in (("none", "no helper"), ("thread", "helper thread"))], unit,
                      log=quantity == "both")
            one.set_title(f"messages of {draw.bytes_text(size)}")
        low, high = line[0].get_ylim()
        line[0].set_ylim(min(low, -10), max(high, 110))
        line[0].axhline(0, color="#999", linewidth=0.8)
    return canvas


@figure("collectives", "What does a collective cost when several communicators are busy?",
        "Each communicator does one collective after the other, all of them at the same time: between ranks of "
        "their own, or between threads of the same ranks. Lower is better.")
def collectives(results, looks):
    members = results.values_of("collectives", "members")
    counts = results.values_of("collectives", "pairs")
    cases = [(f"allreduce, {count} communicator{'s' * (count > 1)} of {of} {name}",
              {"mode": fixed["mode"], "pairs": count, "members": of})
             for of in members for name, fixed in KINDS for count in counts]
    return line_panels(results, looks, "collectives", "allreduce", "size", cases, "allreduce, us", "reduced",
                       draw.bytes_text)


@figure("other_collectives", "And the other collectives?",
        "As above, with barrier, bcast (each time of another root) and alltoall. Lower is better.")
def other_collectives(results, looks):
    cases = [(f"{operation}{' of ' + draw.bytes_text(size) if size else ''},\n{name}", "collectives", operation,
              {"mode": fixed["mode"], "size": size})
             for operation, sizes in (("barrier", (0,)), ("bcast", (8, 65536)), ("alltoall", (8, 65536)))
             for size in sizes for name, fixed in KINDS]
    canvas = draw.Canvas(looks, 1)
    return canvas if dot_panel(canvas, canvas.panel(0), results, cases, "us") else None


@figure("collective_compute", "Do computing threads and a thread in collectives hinder each other?",
        "Each of two ranks has a thread in a loop of allreduces and further threads that compute. How much of the "
        "rate alone remains when both are at work: higher is better, 100 % is no hindrance. With more threads "
        "than cores something must give way.")
def collective_compute(results, looks):
    counts = results.values_of("collective_compute", "threads")
    canvas = draw.Canvas(looks, 2)
    found = [dot_panel(canvas, one, results,
                       [(f"{count} computing\nthread{'s' * (count > 1)} a rank", "collective_compute", quantity,
                         {"threads": count, "form": "flag"}) for count in counts], ylabel, log=False)
             for one, quantity, ylabel in zip(canvas.axes.flat, ("collectives kept", "computation kept"),
                                              ("collectives, % of alone", "computation, % of alone"))]
    for one in canvas.axes.flat:
        one.set_ylim(0, max(one.get_ylim()[1], 110))
        one.axhline(100, color="#999", linewidth=0.8)
    return canvas if any(found) else None


@figure("neighbor_rate", "How many messages a second do the threads of one rank send to neighbour ranks?",
        "Neighbor Message Rate: each thread of rank 0 has a neighbour rank of its own, and does 12 MPI_Irecv, 12 "
        "MPI_Isend and MPI_Waitall; beside it the same between pairs of ranks with MPI_THREAD_SINGLE. Only "
        "messages that rank 0, or the first half of the ranks, sends are counted. Higher is better. Derived: with "
        "a communicator and a datatype of the program, whose references some libraries count.")
def neighbor_rate(results, looks):
    return line_panels(results, looks, "neighbor_rate", "message rate", "threads",
                       [(f"{name}, {objects} objects", {"mode": fixed["mode"], "objects": objects})
                        for objects in ("predefined", "derived") for name, fixed in reversed(KINDS)],
                       "messages/s of all", "threads of rank 0, or pairs of ranks", draw.count_text, columns=2)


@figure("match_depth", "What does it cost to find a message or a receive in a long queue?",
        "The time of one match while so many others wait; flat and low is good. At most 128 are matched, one "
        "after the other; with fewer, posted ones bear more of the round trip that sets them off. "
        "Wildcard: random order, received with MPI_ANY_SOURCE.")
def match_depth(results, looks):
    orders = (("in", "in order"), ("reversed", "reversed"), ("random", "random order"), ("wildcard", "wildcard"))
    return line_panels(results, looks, "match_depth", "time of a match", "depth",
                       [(f"{name}: {text}", {"queue": queue, "order": order})
                        for queue, name in (("posted", "receives"), ("unexpected", "messages"))
                        for order, text in orders],
                       "us a match", "how many wait", draw.count_text, columns=4)


@figure("object_churn", "How fast do objects come and go, and what memory do they keep?",
        "Each thread of one rank makes and frees objects; used: freed while a message still needs them. "
        "Objects a second: higher is better. Memory is the growth of the resident set, and below a page "
        "it is noise; lower is better.")
def object_churn(results, looks):
    counts = results.values_of("object_churn", "threads")
    if not counts:
        return None
    rows = [("objects", count, f"objects/s, {count} thread" + "s" * (count > 1)) for count in counts]
    rows += [("memory of a live object", counts[-1], "bytes of a live one"),
             ("memory kept of a freed object", counts[-1], "bytes kept of a freed one")]
    kinds = results.values_of("object_churn", "kind")
    canvas = draw.Canvas(looks, 1, len(rows), 2.3)
    for (one,), (quantity, count, ylabel) in zip(canvas.axes, rows):
        kept = quantity.startswith("memory kept")  # may be 0
        dot_panel(canvas, one, results, [(kind.replace("-", ", "), "object_churn", quantity,
                                          {"kind": kind, "threads": count}) for kind in kinds], ylabel,
                  log=not kept)
        if kept:
            one.set_yscale("symlog", linthresh=1)
            one.set_ylim(bottom=-0.1)
    return canvas


@figure("oversubscription", "What remains of the cores when there are more threads than cores?",
        "Pairs send a message to and fro; each side computes for 10 us before it answers. If waiting cost "
        "nothing, all cores would compute all the time, however many pairs there are. Higher is better.")
def oversubscription(results, looks):
    return line_panels(results, looks, "oversubscription", "computing share of the cores", "pairs",
                       [("pairs of ranks", {"mode": "processes"}),
                        ("pairs of threads of two ranks", {"mode": "threads"})],
                       "computing share of the cores, %", "pairs", draw.count_text, log=False)
