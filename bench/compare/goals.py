"""What is asked of Heddle, against what a run has measured. Each row: goal, asked, measured, met."""
import parts
from tables import figure

NOT_MEASURED = ["not measured by this run", "-"]


def _row(goal, asked, measured, met):
    return [goal, asked, measured, "yes" if met else "**no**"]


def _at_most(goal, value, bound, unit):
    asked = f"≤ {bound:g} {unit}"
    return [goal, asked, *NOT_MEASURED] if value is None else _row(goal, asked, f"{figure(value)} {unit}", value <= bound)


def _at_least(goal, value, bound, unit):
    asked = f"≥ {bound:g} {unit}"
    return [goal, asked, *NOT_MEASURED] if value is None else _row(goal, asked, f"{figure(value)} {unit}", value >= bound)


def _beside(notes, goal, case, names, share=1.0, best=min, own_case=None):
    """Our speed with each of the names against the best peer's, in each state of the machine."""
    asked = "the best peer's speed" if share == 1 else f"≥ {share:g} of the best peer's speed"
    seen = False
    for state in notes.states(case, names[0]) if names else ():
        ratios = {}
        for name in names:
            own, peer = notes.median("heddle", own_case or case, name, state), notes.best_peer(case, name, state, best)
            if own and peer:
                ratios[name] = peer / own if best is min else own / peer
        if ratios:
            seen = True
            worst = min(ratios, key=ratios.get)
            count = "" if len(ratios) == 1 else f"{sum(ratio >= share for ratio in ratios.values())} of {len(ratios)}; "
            place = "" if len(ratios) == 1 else f" with {worst}"
            yield _row(f"{goal} ({notes.state_name(state)})", asked, f"{count}{ratios[worst]:.2f} times it{place}",
                       ratios[worst] >= share)
    if not seen:
        yield [goal, asked, *NOT_MEASURED]


def _ratio(one, other):
    return one / other if one is not None and other else None


def switches(notes):
    bare = notes.limit("BM_BareSwitch")
    for name, goal in (("BM_ContextSwitch", "switch between two ranks, against a bare one with wrfsbase"),
                       ("BM_Yield/2", "a whole yield, against a bare switch")):
        yield _at_most(goal, _ratio(notes.limit(name), bare), 1.3, "times")


def messages(notes):
    yield _at_most("8 bytes, half round trip, one worker", notes.median("heddle", "latency/2/one-worker", "8"), 0.15, "us")
    yield from _beside(notes, "8 bytes, half round trip, two workers", "latency/2", ["8"])
    sizes = ["16384", "65536", "262144"]
    yield from _beside(notes, "half round trip of 16, 64, 256 KiB", "latency/2", sizes)
    touched = ["16384", "65536", "262144", "1048576", "4194304"]
    yield from _beside(notes, "the same of data that is read and written, to 4 MiB", "touched/2", touched)
    large = [size for size in notes.names("bandwidth/2") if int(size) >= 1024]
    yield from _beside(notes, "bandwidth, 1 KiB to 4 MiB", "bandwidth/2", large, best=max)
    for size in (1048576, 4194304):
        share = _ratio(notes.median("heddle", "bandwidth/2", str(size)), notes.limit(f"memcpy_{size}"))
        yield _at_least(f"bandwidth of {size >> 20} MiB", share, 0.9, "of one memcpy's")
    for case, what in (("sendrecv/2", "exchange of 8 bytes by Sendrecv"), ("waitall/2", "the same by Irecv, Isend, Waitall")):
        yield from _beside(notes, what, case, ["8"])
    asked = parts.number(r"^ *(\d+)  a message", notes.part("instructions"))
    yield _at_most("a message among four neighbours", asked, 700, "instructions")


def processes(notes):
    yield from _beside(notes, "8 bytes, half round trip", "latency/2", ["8"], own_case="latency/2/processes")
    yield from _beside(notes, "half round trip of data that is read and written, 16 KiB to 4 MiB", "touched/2",
                       ["16384", "65536", "262144", "1048576", "4194304"] if notes.cases("touched") else [],
                       own_case="touched/2/processes")
    yield from _beside(notes, "bandwidth, 1 KiB, 64 KiB, 1 MiB, 4 MiB", "bandwidth/2",
                       ["1024", "65536", "1048576", "4194304"] if notes.cases("bandwidth") else [], best=max,
                       own_case="bandwidth/2/processes")


def collectives(notes):
    yield from _beside(notes, "8 bytes, 2 ranks", "collectives/2",
                       ["barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall", "scan", "reduce_scatter_block"])

    def median(ranks, name, what="collectives"):
        return notes.median("heddle", f"{what}/{ranks}", name)
    for name in ("gather", "scatter", "allgather", "scan"):
        yield _at_most(f"{name} of 8 bytes, 64 ranks", median(64, name), 10, "us")
    yield _at_most("alltoall of 8 bytes, 64 ranks", median(64, "alltoall"), 80, "us")
    yield _at_most("a nonblocking barrier of 64 ranks, against the blocking one",
                   _ratio(median(64, "ibarrier"), median(64, "barrier")), 1.5, "times")
    yield _at_most("start of a nonblocking barrier, 64 ranks", median(64, "ibarrier_start"), 0.5, "us")
    yield _at_most("neighborhood alltoall, 4 neighbors, 8 bytes, 64 ranks, a round and rank",
                   _ratio(median(64, "neighbors"), 64), 3, "us")
    for ranks, name, bound in ((64, "alltoall_1024", 400), (64, "alltoall_65536", 15000), (16, "allreduce_1048576", 1500),
                               (64, "allreduce_1048576", 6000)):
        yield _at_most(f"{name.replace('_', ' of ')} bytes, {ranks} ranks", median(ranks, name, "long"), bound, "us")
    yield from _beside(notes, "bcast of 1 MiB, 64 ranks", "long/64", ["bcast_1048576"])


def objects(notes):
    for name, what, bounds in (("dup_free", "dup and free", {64: 20, 1024: 400, 4096: 2000}),
                               ("split_free", "split into 16 and free", {256: 300, 1024: 1500, 4096: 8000})):
        for ranks, bound in bounds.items():
            yield _at_most(f"{what} of a communicator, {ranks} ranks",
                           notes.median("heddle", f"communicators/{ranks}", name), bound, "us")
    yield from _beside(notes, "attributes, groups, types, Iprobe of nothing, Sendrecv with PROC_NULL", "calls/1",
                       ["attribute_set_get", "group_incl_free", "type_vector_commit_free", "iprobe", "sendrecv_proc_null"],
                       share=0.91)


def layouts(notes):
    for case, what in (("pack/1", "MPI_Pack"), ("unpack/1", "MPI_Unpack"), ("send/2", "half round trip")):
        yield from _beside(notes, f"{what} of layouts", case, notes.operations(case))


def overload(notes):
    for program in ("heat", "advection"):
        base = notes.median("heddle", f"{program}/2", "seconds")
        for ranks in (16, 64, 256):
            yield _at_most(f"{program} with {ranks} ranks, against 2",
                           _ratio(notes.median("heddle", f"{program}/{ranks}", "seconds"), base), 1.15, "times")
    teams = [notes.median("heddle", f"hybrid/{case}", "seconds") for case in ("4x4", "16x1")]
    yield _at_most("heat with OpenMP, 4 ranks x 4 threads against 16 ranks", _ratio(*teams), 1.1, "times")
    balanced = notes.part("balance")
    yield _at_most("--balance: one rank of 16 with four times the work, against the ideal",
                   parts.number(r"with --balance: ([\d.]+) times the ideal", balanced), 1.1, "times")
    yield _at_least("--balance: a load that moves, against without",
                    parts.number(r"\| moving \| --balance .* ([\d.]+) times faster", balanced), 1.3, "times the speed")


def start(notes):
    base, many = (notes.median("heddle", f"startup/{ranks}", "wall") for ranks in (2, 256))
    for ranks, bound in ((256, 0.3), (1024, 1.2)):
        yield _at_most(f"start and end {ranks} ranks", notes.median("heddle", f"startup/{ranks}", "wall"), bound, "s")
    yield _at_most("start and end one more rank", None if base is None or many is None else (many - base) / 254 * 1e3, 0.5, "ms")
    for ranks in (256, 1024):
        yield _at_most(f"memory a rank, {ranks} ranks", notes.median("heddle", f"memory/{ranks}", "kib_a_rank"), 200, "KiB")
    yield _at_most("a job that only waits", notes.median("heddle", "idle/16", "percent_of_a_core"), 1, "% of one core")
    blocks = parts.rows(notes.part("heap"))
    for first, cells in blocks.items():
        yield _at_least(f"malloc and free, {first}: heaps of ranks against mimalloc alone", float(cells[-1]), 1, "of its speed")
    if not blocks:
        yield _at_least("malloc and free: heaps of ranks against mimalloc alone", None, 1, "of its speed")


def network(notes):
    measured = parts.rows(notes.part("network"))
    for first, cells in measured.items():
        yield _at_least(f"{first}, against the best peer", float(cells[-1]), 0.9, "of its speed")
    if not measured:
        yield _at_least("messages between two nodes, against the best peer", None, 0.9, "of its speed")


# The titles that the page has them under.
GROUPS = {
    "Switches": switches, "Messages of two ranks": messages, "Ranks as processes": processes, "Collectives": collectives,
    "Objects": objects, "Layouts": layouts, "More ranks than cores": overload, "Jobs, memory and heaps": start,
    "Over the network": network,
}


def rows(notes, group):
    return list(GROUPS[group](notes))
