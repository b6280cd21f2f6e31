"""Which machine carries which rank, as mpiexec tells it to each launcher; and the machines of allocations, as batch systems write them.

The launchers' words are read here as the launchers read them, and compared with what spread() deals out."""
import itertools
import os
import random
import re
import sys

from table import Bench

MACHINES = ("a", "b", "c", "d", "e")


def spread(machines, ranks):
    """machines: [(name, slots)], slots all None or all numbers. Returns how many ranks each carries, in order of names; None: even."""
    if machines[0][1] is None:
        return None
    deal = itertools.cycle([name for name, slots in machines for _ in range(slots)])
    dealt = [next(deal) for _ in range(ranks)]
    return {name: dealt.count(name) for name, _ in machines if name in dealt}


def wrong_with(placed, machines, ranks, by_node):
    """placed: the machine of each rank."""
    if len(placed) != ranks:
        return f"{len(placed)} ranks are placed"
    names = [name for name, _ in machines]
    counts = {name: placed.count(name) for name in names if name in placed}
    if by_node:
        turns = []
        while len(turns) < ranks:
            room = [slots or 1 for _, slots in machines]
            turns += [name for turn in range(max(room)) for name, slots in zip(names, room) if slots > turn]
        return None if placed == turns[:ranks] else f"they are not in turn: {placed}"
    wanted = spread(machines, ranks)
    if wanted is None:
        if len(counts) != min(len(names), ranks) or max(counts.values()) - min(counts.values()) > 1:
            return f"they are not spread evenly: {counts}"
    elif counts != wanted:
        return f"the machines carry {counts}, not {wanted}"
    return None if placed == sorted(placed) else "they are not in blocks"


def slots_of(text):
    return [(name, int(count)) for name, count in (each.split(":") for each in text.split(","))]


def read_hydra(words, ranks):
    hosts = slots_of(words[words.index("-hosts") + 1])
    if "-rankmap" in words:
        numbers = re.findall(r"\d+", words[words.index("-rankmap") + 1])
        return [hosts[int(number)][0] for number in numbers]
    return [name for name, count in hosts for _ in range(count)]


def read_prterun(words, ranks):
    hosts = words[words.index("--host") + 1]
    if "--map-by" in words and words[words.index("--map-by") + 1] == "seq":
        return hosts.split(",")
    return [name for name, count in slots_of(hosts) for _ in range(count)]


def read_srun(words, ranks):
    values = dict(word[2:].split("=", 1) for word in words if word.startswith("--") and "=" in word)
    nodes = values["nodelist"].split(",")
    tasks = int(values["ntasks"])
    if values["distribution"] == "arbitrary":
        return nodes
    if values["distribution"] == "cyclic":
        return [nodes[task % len(nodes)] for task in range(tasks)]
    return [node for i, node in enumerate(nodes) for _ in range(tasks // len(nodes) + (i < tasks % len(nodes)))]


READERS = {"hydra": read_hydra, "prterun": read_prterun, "srun": read_srun}


def read_places(words, ranks, processes):
    """The host of each rank, for heddle-host."""
    hosts = int(next(word[6:] for word in words if word.startswith("hosts=")))
    places = [word[7:] for word in words if word.startswith("places=")]
    if not places:
        return [rank * hosts // ranks for rank in range(ranks)]
    return [int(host) for host, times in (run.split("x") for run in places[0].split(",")) for _ in range(int(times))]


def cases():
    chance = random.Random(5)
    for machines in range(1, 6):
        for ranks in sorted({1, machines, machines + 1, 8, 8 * machines}):
            for sized, by_node in itertools.product((False, True), (False, True)):
                names = [(name, chance.randint(1, 8) if sized else None) for name in MACHINES[:machines]]
                yield names, ranks, by_node


def check_placements(bench):
    environment = {"PATH": "launchers"}
    bad = []
    for number, (machines, ranks, by_node) in enumerate(cases()):
        launcher = list(READERS)[number % len(READERS)]
        hosts = ",".join(name if slots is None else f"{name}:{slots}" for name, slots in machines)
        line = f"mpiexec --show --launcher {launcher} {'--map-by node ' if by_node else ''}--host {hosts} -n {ranks} "
        shown = bench.run(line + "--ranks-as processes /bin/true", env=environment)
        placed = READERS[launcher](shown.stdout.split("\n"), ranks)
        bad.append((line + "(processes)", wrong_with(placed, machines, ranks, by_node)))
        for processes in (1, 2):
            shown = bench.run(line + f"--processes {processes} --ranks-as threads /bin/true", env=environment)
            words = shown.stdout.split("\n")
            machine_of_host = READERS[launcher](words, ranks)
            placed = [machine_of_host[host] for host in read_places(words, ranks, processes)]
            bad.append((line + f"({processes} hosts)", wrong_with(placed, machines, ranks, by_node)))
    bad = [f"{line}: {wrong}" for line, wrong in bad if wrong]
    bench.report("ranks are where they should be", bad[:5])


def as_slurm_writes(names):
    """Slurm's hostlist: names that differ in their last number stand in brackets, in ranges of equal width."""
    parts = []
    for prefix, group in itertools.groupby(names, lambda name: name.rstrip("0123456789")):
        digits = [name[len(prefix):] for name in group]
        if digits == [""]:
            parts.append(prefix)
            continue
        ranges = []
        for each in digits:
            if ranges and len(ranges[-1][1]) == len(each) and int(ranges[-1][1]) + 1 == int(each):
                ranges[-1][1] = each
            else:
                ranges.append([each, each])
        text = ",".join(first if first == last else f"{first}-{last}" for first, last in ranges)
        parts.append(f"{prefix}[{text}]" if len(digits) > 1 else prefix + text)
    return ",".join(parts)


def tasks_as_slurm_writes(counts):
    runs = [(count, len(list(group))) for count, group in itertools.groupby(counts)]
    return ",".join(str(count) if times == 1 else f"{count}(x{times})" for count, times in runs)


def check_allocations(bench):
    chance = random.Random(6)
    lists = [["n1"], ["login"], ["n1", "n2", "n3", "n07", "n10"], ["r1n1", "r1n2", "gpu-a01", "gpu-a02", "gpu-a04", "x"]]
    for _ in range(20):
        numbers = sorted(chance.sample(range(1, 120), chance.randint(2, 12)))
        width = chance.choice((1, 3))
        lists.append([f"node{number:0{width}}" for number in numbers])
    bad = []
    for names in lists:
        counts = [chance.choice((1, 2, 2, 5)) for _ in names]
        slurm = {"PATH": "launchers", "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": as_slurm_writes(names),
                 "SLURM_NTASKS": str(sum(counts)), "SLURM_TASKS_PER_NODE": tasks_as_slurm_writes(counts)}
        file = bench.work / "nodefile"
        file.write_text("".join(f"{name}\n" * count for name, count in zip(names, counts)))
        for environment in (slurm, {"PATH": "launchers", "PBS_NODEFILE": str(file), "PBS_JOBID": "7"}):
            shown = bench.run(f"mpiexec --show --ranks-as processes -n {sum(counts)} --launcher hydra /bin/true", env=environment)
            words = shown.stdout.split("\n")
            if "-hosts" not in words or slots_of(words[words.index("-hosts") + 1]) != list(zip(names, counts)):
                bad.append(f"{environment}: {shown.stdout}{shown.stderr}")
    bench.report("allocations are read", bad[:2])


def main():
    bench = Bench(sys.argv)
    (bench.work / "launchers").mkdir(exist_ok=True)
    for name in ("mpiexec.hydra", "prterun", "srun"):
        (bench.work / "launchers" / name).write_text("#!/bin/true\n")
        os.chmod(bench.work / "launchers" / name, 0o755)
    for name in [name for name in os.environ if name.startswith(("SLURM_", "PBS_"))]:
        del os.environ[name]
    check_placements(bench)
    check_allocations(bench)
    bench.done()


main()
