"""The figures: one for each program. Each draws what the results have of it, or gives None."""
import draw
from panels import ALL, along, dot_panel, figure, line_panels, modes  # noqa: F401


@figure("overhead", "What does MPI_THREAD_MULTIPLE cost a program that uses one thread?",
        "Two ranks send a message to and fro; half of a round trip. Lower is better. Right: the time with "
        "MPI_THREAD_MULTIPLE over that with MPI_THREAD_SINGLE; at 1 the level costs nothing.")
def overhead(results, looks):
    levels = {level: along(results, "overhead", "half round trip", "size", level=level)
              for level in ("single", "multiple")}
    if not any(rows for rows, _ in levels.values()):
        return None
    canvas = draw.Canvas(looks, 3)
    for one, (level, (rows, failed)) in zip(canvas.axes.flat, levels.items()):
        canvas.lines(one, rows, failed, draw.bytes_text)
        one.set_title(f"MPI_THREAD_{level.upper()}")
        one.set_yscale("log")
    canvas.panel(0).set_ylabel("half round trip, us")
    draw.same_limits(canvas.axes.flat[:2])
    below, above = levels["single"][0], levels["multiple"][0]
    ratios = {label: {x: ratio(point, below[label][x]) for x, point in row.items() if x in below[label]}
              for label, row in above.items() if label in below}
    right = canvas.panel(2)
    canvas.lines(right, ratios, {}, draw.bytes_text)
    right.axhline(1, color="#999", linewidth=0.8)
    draw.log_scale(right, [point.value for row in ratios.values() for point in row.values()])
    right.set_title("MULTIPLE over SINGLE")
    right.set_ylabel("times as long")
    for one in canvas.axes.flat:
        one.set_xlabel("message")
    return canvas


def ratio(above, below):
    """A Point whose range is the widest that both ranges allow."""
    rounds = [(above.range[i] / below.range[j],) * 3 for i, j in ((0, 1), (1, 0))]
    return type(above)("times", "less", [(above.value / below.value,) * 3, *rounds])


@figure("bandwidth", "How much do several pairs move together?",
        "Each pair sends windows of 8 messages; the bytes of all pairs together. Higher is better. The same "
        "buffers are used again and again, so they stay in the caches where they fit.")
def bandwidth(results, looks):
    return line_panels(results, looks, "bandwidth", "bandwidth", "size", modes(results, "bandwidth"),
                       "GB/s of all pairs", "message", draw.bytes_text)


@figure("latency", "How long does a message take when several pairs talk at the same time?",
        "All pairs send a message to and fro at the same time; half of a round trip. Lower is better.")
def latency(results, looks):
    return line_panels(results, looks, "latency", "half round trip", "size", modes(results, "latency"),
                       "half round trip, us", "message", draw.bytes_text)


@figure("message_rate", "How many empty messages a second?",
        "Messages of no bytes, with an answer after every 256 of them; all pairs together. Higher is better.")
def message_rate(results, looks):
    kinds = (("ranks", {"mode": "processes"}), ("threads", {"mode": "threads", "comms": "shared"}),
             ("threads, a\ncommunicator each", {"mode": "threads", "comms": "own"}))
    counts = results.values_of("message_rate", "pairs")
    cases = [(f"{count} pair{'s' * (count > 1)} of\n{name}", "message_rate", "message rate",
              {"pairs": count, **fixed}) for name, fixed in kinds for count in counts]
    if not counts:
        return None
    canvas = draw.Canvas(looks, 1)
    dot_panel(canvas, canvas.panel(0), results, cases, "messages/s of all pairs")
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
        "A step is an exchange with the neighbours and about as much computation. Left, higher is better: at "
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
        line[0].set_ylim(max(low, -150), min(max(high, 110), 150))
        line[0].axhline(0, color="#999", linewidth=0.8)
    return canvas


@figure("collectives", "What does a collective cost when several communicators are busy?",
        "Each communicator does one allreduce after the other, all of them at the same time: between ranks of "
        "their own, or between threads of the same ranks. Lower is better.")
def collectives(results, looks):
    return line_panels(results, looks, "collectives", "allreduce", "size",
                       [(title.replace("pair", "communicator"), fixed)
                        for title, fixed in modes(results, "collectives")],
                       "allreduce, us", "reduced", draw.bytes_text)


@figure("collective_compute", "Do computing threads and a thread in collectives hinder each other?",
        "Each of two ranks has a thread in a loop of allreduces and further threads that compute. Left: "
        "allreduces a second. Right: computation beside allreduces as a share of computation alone. Higher is "
        "better in both.")
def collective_compute(results, looks):
    counts = results.values_of("collective_compute", "threads")
    if not counts:
        return None
    canvas = draw.Canvas(looks, 2)
    names = {count: f"{count} computing\nthread{'s' * (count > 1)}" for count in counts}
    cases = [("alone", "collective_compute", "allreduces", {"threads": counts[-1], "beside": "nothing"})]
    cases += [(f"beside {names[count]}", "collective_compute", "allreduces",
               {"threads": count, "beside": "computation"}) for count in counts]
    dot_panel(canvas, canvas.panel(0), results, cases, "allreduces/s")
    shares = {name: {} for name in names.values()}
    for count, name in names.items():
        for label in results.labels:
            alone, both = (results.find("collective_compute", "computation rate", label, threads=count,
                                        beside=beside) for beside in ("nothing", "collectives"))
            if alone and both:
                shares[name][label] = both.scaled(100 / alone.value)
    canvas.dots(canvas.panel(1), shares, {}, log=False)
    canvas.panel(1).set_ylim(bottom=0)
    canvas.panel(1).set_ylabel("computation, % of alone")
    return canvas


@figure("neighbor_rate", "How many messages a second do the threads of one rank exchange?",
        "Neighbor Message Rate: each thread of rank 0 has a neighbour rank of its own, and does 12 MPI_Irecv, 12 "
        "MPI_Isend and MPI_Waitall. Higher is better. Derived: with a communicator and a datatype of the "
        "program, whose references some libraries count.")
def neighbor_rate(results, looks):
    return line_panels(results, looks, "neighbor_rate", "message rate", "threads",
                       [(f"{objects} objects", {"objects": objects})
                        for objects in ("predefined", "derived")],
                       "messages/s of all threads", "threads of rank 0", draw.count_text)


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
