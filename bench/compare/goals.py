"""What Heddle wants to reach, against what a run measured. Each row: goal, wanted, measured, reached."""


def _row(goal, wanted, measured, reached):
    return [goal, wanted, measured, "yes" if reached else "**no**"]


def _at_most(goal, value, bound, unit):
    if value is None:
        return [goal, f"≤ {bound:g} {unit}", "not measured", "-"]
    return _row(goal, f"≤ {bound:g} {unit}", f"{value:.3g} {unit}", value <= bound)


def _switch(notes):
    bare = notes.limit("BM_BareSwitch")
    for name, goal in (("BM_ContextSwitch", "switch between two ranks, against a bare one"),
                       ("BM_Yield/2", "a whole yield, against a bare switch")):
        own = notes.limit(name)
        if bare and own:
            yield _at_most(goal, own / bare, 1.3, "times")


def _latency(notes):
    own = notes.median("heddle", "latency/2/one-worker", "8")
    if own is not None:
        yield _at_most("8 bytes, half round trip, one worker", own, 0.15, "us")
    for state in notes.states("latency/2"):
        own = notes.median("heddle", "latency/2", "8", state)
        peer = notes.best_peer("latency/2", "8", state, min)
        if own is not None and peer is not None:
            yield _row(f"8 bytes, half round trip, two workers ({notes.state_name(state)})",
                       f"≤ the best peer's {peer:.3g} us", f"{own:.3g} us", own <= peer)


def _bandwidth(notes):
    for state in notes.states("bandwidth/2"):
        ratios = {}
        for size in notes.names("bandwidth/2"):
            own = notes.median("heddle", "bandwidth/2", size, state)
            peer = notes.best_peer("bandwidth/2", size, state, max)
            if own and peer and int(size) >= 1024:
                ratios[int(size)] = own / peer
        if ratios:
            worst = min(ratios, key=ratios.get)
            yield _row(f"bandwidth, 1 KiB to 4 MiB ({notes.state_name(state)})", "≥ the best peer's at every size",
                       f"{ratios[worst]:.2f} times it at {worst:,} bytes", ratios[worst] >= 1)
    for size in (1048576, 4194304):
        own = notes.median("heddle", "bandwidth/2", str(size))
        copy = notes.limit(f"memcpy_{size}")
        if own and copy:
            yield _row(f"bandwidth of {size:,} bytes", "≥ 0.9 of one memcpy's",
                       f"{own / copy:.2f} of {copy:.3g} GB/s", own >= 0.9 * copy)


def _layouts(notes):
    for case, what in (("pack/1", "MPI_Pack"), ("unpack/1", "MPI_Unpack"), ("send/2", "half round trip")):
        names = notes.operations(case)
        for state in notes.states(case, names[0]) if names else ():
            ratios = {}
            for name in names:
                own = notes.median("heddle", case, name, state)
                peer = notes.best_peer(case, name, state, min)
                if own and peer:
                    ratios[name] = peer / own
            if ratios:
                worst = min(ratios, key=ratios.get)
                ahead = sum(ratio >= 1 for ratio in ratios.values())
                yield _row(f"{what} of layouts ({notes.state_name(state)})", "≥ the best peer's speed with each",
                           f"{ahead} of {len(ratios)}; {ratios[worst]:.2f} times it with {worst}", ratios[worst] >= 1)


def _overload(notes):
    for program in ("heat", "advection"):
        base = notes.median("heddle", f"{program}/2", "seconds")
        for ranks in (16, 64, 256):
            own = notes.median("heddle", f"{program}/{ranks}", "seconds")
            if base and own:
                yield _at_most(f"{program} with {ranks} ranks, against 2", own / base, 1.15, "times")


def _start(notes):
    base = notes.median("heddle", "startup/2", "wall")
    for ranks, bound in ((256, 0.3), (1024, 1.2)):
        yield _at_most(f"start and end {ranks} ranks",
                       notes.median("heddle", f"startup/{ranks}", "wall"), bound, "s")
    many = notes.median("heddle", "startup/256", "wall")
    if base and many:
        yield _at_most("start and end one more rank", (many - base) / 254 * 1e3, 0.5, "ms")
    for ranks in (256, 1024):
        yield _at_most(f"memory a rank, {ranks} ranks",
                       notes.median("heddle", f"memory/{ranks}", "kib_a_rank"), 200, "KiB")
    yield _at_most("a job that only waits", notes.median("heddle", "idle/16", "percent_of_a_core"), 1,
                   "% of one core")


def rows(notes):
    return [row for part in (_switch, _latency, _bandwidth, _layouts, _overload, _start) for row in part(notes)]
