"""The programs of bench/threads with our mpicc and mpiexec: each ends well with tiny problems, and what
it prints is what the report reads; wrong arguments are refused with one sentence."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from table import Bench

SUITE = pathlib.Path(__file__).resolve().parent.parent.parent / "bench/threads"
sys.path.append(str(SUITE))
import results  # noqa: E402

PAIRS = "--pairs 2 --mode"
BANDWIDTH = {"bandwidth", "bandwidth, sum of pairs"}
RATE = {"message rate", "message rate, sum of pairs"}
NEIGHBOURS = {"message rate", "message rate, sum of threads"}
SHORT = {"short message", "each short message", "short message, mean"}
OVERLAP = {"communication alone", "computation alone", "both", "hidden"}
COMPUTE = {"allreduce", "allreduces", "computation rate", "computation kept", "collectives kept"}
# ranks, program and options, what is measured
ROWS = [
    *((2, f"overhead --level {level} --sizes 0,8:70K:100", {"half round trip"})
      for level in ("init", "single", "funneled", "serialized", "multiple")),
    (2, "overhead --sizes 3,5000 --buffers memory", {"half round trip"}),
    (4, f"latency {PAIRS} processes --sizes 0,100", {"half round trip"}),
    (2, f"latency {PAIRS} threads --sizes 0,100 --buffers memory", {"half round trip"}),
    (2, f"latency {PAIRS} threads --comms own --sizes 100", {"half round trip"}),
    (4, f"bandwidth {PAIRS} processes --sizes 1000,70000", BANDWIDTH),
    (2, f"bandwidth {PAIRS} threads --sizes 1,7,70000 --window 3", BANDWIDTH),
    (2, f"bandwidth {PAIRS} threads --sizes 1000 --direction both --buffers memory", BANDWIDTH),
    (4, f"message_rate {PAIRS} processes --window 16", RATE),
    (2, f"message_rate {PAIRS} threads --window 16", RATE),
    (2, "message_rate --mode threads --pairs 5 --receivers 2 --size 8 --comms own --window 16", RATE),
    (2, "message_rate --mode threads --pairs 2 --receivers 5 --size 8 --window 16", RATE),
    (5, "message_rate --mode processes --pairs 3 --receivers 2 --size 2 --window 16", RATE),
    (2, "short_long --senders none", SHORT),
    (4, "short_long --senders processes --long 100000", SHORT | {"long bandwidth"}),
    (3, "short_long --senders threads --long 100000", SHORT | {"long bandwidth"}),
    (2, "overlap --helper none --size 70000", OVERLAP),
    (3, "overlap --helper thread --size 1000", OVERLAP),
    (4, "overlap --neighbours 2 --size 100", OVERLAP),
    (6, f"collectives {PAIRS} processes --sizes 8,1000", {"allreduce"}),
    *((3, f"collectives {PAIRS} threads --sizes 8,1000 --operation {operation}", {operation})
      for operation in ("allreduce", "barrier", "bcast", "alltoall")),
    (2, "collective_compute --threads 1 --size 16", COMPUTE),
    (3, "collective_compute --threads 2 --size 1000 --form timed", COMPUTE),
    *((3, f"neighbor_rate --threads 2 --objects {objects} --size {size}", NEIGHBOURS)
      for objects in ("predefined", "derived") for size in (0, 4, 64)),
    (4, "neighbor_rate --threads 2 --mode processes --objects derived", NEIGHBOURS),
    (3, "neighbor_rate_one_lock --threads 2 --size 8", NEIGHBOURS),
    *((2, f"match_depth --queue {queue} --order {order} --depths 1,7,300", {"time of a match"})
      for queue in ("posted", "unexpected") for order in ("in", "reversed", "random", "wildcard")),
    *((1, f"object_churn --threads 2 --kind {kind}", {"objects", "memory of a live object",
                                                      "memory kept of a freed object", "memory held back"})
      for kind in ("comm", "comm-used", "type", "type-used", "op", "group", "request")),
    (4, f"oversubscription {PAIRS} processes --work 1", {"exchanges", "computing share of the cores"}),
    (2, "oversubscription --pairs 8 --mode threads --work 1", {"exchanges", "computing share of the cores"}),
]
SHORTLY = "--seconds 0.002 --warmup 0.002 --samples 3"

# What each line says of how it was measured, with a job of several ranks under our mpiexec.
SETTING = {"rank_is": "thread", "binding": "library"}

REFUSED = [
    ("help", "mpiexec -n 2 ./latency --help", 0, r"\Alatency: .*\n(.*\n)*  --pairs ", None),
    ("an unknown option", "mpiexec -n 2 ./latency --pears 2", 2, None, r"\Alatency: [^\n]*--pears[^\n]*\n\Z"),
    ("a value that is none", "mpiexec -n 2 ./latency --pairs 0", 2, None, r"\Alatency: --pairs wants [^\n]*\n\Z"),
    ("a missing value", "mpiexec -n 2 ./latency --sizes", 2, None, r"\Alatency: --sizes wants [^\n]*\n\Z"),
    ("a range backwards", "mpiexec -n 2 ./latency --sizes 1K:8", 2, None, r"\Alatency: --sizes wants [^\n]*\n\Z"),
    ("a range with too many values", "mpiexec -n 2 ./latency --sizes 0:1M,0:1M,0:1M,0:1M", 2, None,
     r"\Alatency: --sizes wants [^\n]*\n\Z"),
    ("a unit that is none", "mpiexec -n 2 ./latency --sizes 8T", 2, None, r"\Alatency: --sizes wants [^\n]*\n\Z"),
    ("derived neighbours of an odd size", "mpiexec -n 5 ./neighbor_rate --objects derived --size 3", 2, None,
     r"\Aneighbor_rate: [^\n]* multiple of 4, not 3\n\Z"),
    ("communicators that ranks do not fill", "mpiexec -n 5 ./collectives --mode processes --pairs 2", 2, None,
     r"\Acollectives: [^\n]* multiple of 2 ranks[^\n]*\n\Z"),
    ("too few ranks", "./latency --pairs 2", 2, None, r"\Alatency: [^\n]* 2 ranks[^\n]*\n\Z"),
    ("too many ranks", "mpiexec -n 3 ./overhead", 2, None, r"\Aoverhead: [^\n]* 2 ranks[^\n]*\n\Z"),
]


def problems_of(entry):
    """What a line of a job of several ranks must not say."""
    for name, value in SETTING.items():
        if entry["ranks"] > 1 and entry[name] != value:
            yield f"{name} is {entry[name]}, not {value}"
    if entry["strands"] < 1 or entry["cores"] < 1 or entry["samples"] < 1:
        yield "strands, cores or samples are below 1"
    if entry["library"] not in entry["library_says"]:
        yield "the library is not what it says"


def run_minimally(bench, ranks, words, quantities):
    line = f"mpiexec -n {ranks} ./{words} {SHORTLY} --output json"
    result = bench.run(line)
    wrong = [f"exit status {result.returncode}"] if result.returncode else []
    if result.stderr:
        wrong.append("stderr is not empty")
    try:
        entries = results.parse(result.stdout)
        found = {entry["quantity"] for entry in entries}
        if quantities != found:
            wrong.append(f"not the same quantities: {', '.join(sorted(quantities ^ found))}")
        wrong += [problem for entry in entries for problem in problems_of(entry)]
    except (ValueError, KeyError) as problem:
        wrong.append(f"the report cannot read it: {problem}")
    bench.report(words, wrong, f"$ {line}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")


def values_of(bench, options):
    """The sizes that `latency` measures with these options."""
    output = bench.run(f"mpiexec -n 2 ./latency --pairs 1 {SHORTLY} --output json {options}").stdout
    return [entry["parameters"]["size"] for entry in results.parse(output)]


def check_lists(bench):
    for text, wanted in (("8:64", [8, 16, 32, 64]), ("0:4", [0, 1, 2, 4]), ("8:1k:4", [8, 32, 128, 512]),
                         ("0,8:20,1K", [0, 8, 16, 1024]), ("5:5", [5])):
        got = values_of(bench, f"--sizes {text}")
        bench.report(f"--sizes {text}", [f"means {got}, not {wanted}"] if got != wanted else [])


def check_table(bench):
    bench.check(("a table", f"mpiexec -n 2 ./latency --pairs 1 --sizes 8,64 {SHORTLY}", 0,
                 r"\A# latency with Heddle [^\n]*MPI_THREAD_MULTIPLE\n# threads[^\n]*\n"
                 r"# mode=threads pairs=1 [^\n]*\nsize +quantity +median .*\n"
                 r"8 +half round trip .*\n64 +half round trip .*\n\Z", None))


def check_wrong_data(bench):
    """A library that loses the content of one message is found out, at either end of it."""
    for name in ("latency", "bandwidth"):
        for end in ("first", "last"):
            broken = f"broken_{name}_{end}"
            subprocess.run([bench.bin / "mpicc", "-O1", f"-DBREAK_{end.upper()}", "-o", bench.work / broken,
                            SUITE / f"{name}.c", bench.programs / "wrong_data.c",
                            *(bench.work / f"{shared}.o" for shared in SHARED), "-pthread"], check=True)
            bench.check((f"{name} with a message whose {end} bytes are old",
                         f"mpiexec -n 2 ./{broken} --pairs 1 --sizes 100 {SHORTLY}", 3, None,
                         r"^.*: rank \d: message \d+ of 100 bytes begins with number \d+ and ends with \d+$"))


def check_doubts(bench):
    """With a clock of its own, a program shows what is measured again and what is flagged."""
    subprocess.run([bench.bin / "mpicc", "-O1", "-D_XOPEN_SOURCE=700", "-Dclock_gettime=pretended_clock", f"-I{SUITE}",
                    "-o", bench.work / "doubtful", bench.programs / "doubtful.c",
                    *(SUITE / f"{shared}.c" for shared in SHARED), "-pthread"], check=True)
    for case, flags, repeats, median in (("steady", [], 0, 1), ("modes", ["two modes"], 2, None),
                                         ("once", [], 1, 1), ("outliers", [], 0, 1),
                                         ("slow", ["few samples"], 0, 1e6), ("cold", [], 0, 1)):
        result = bench.run(f"./doubtful --case {case} --output json")
        wrong = [f"status {result.returncode}"] if result.returncode else []
        for entry in results.parse(result.stdout) if not wrong else []:
            got = entry["flags"], entry["repeats"]
            if got != (flags, repeats):
                wrong.append(f"flags and repeats are {got}, not {(flags, repeats)}")
            if median and abs(entry["median"] / median - 1) > 0.01:
                wrong.append(f"the median is {entry['median']}, not {median}")
            if case != "slow" and (entry["samples"] < 10 or entry["batch"] < 1000):
                wrong.append(f"{entry['samples']} samples of {entry['batch']} iterations are too few")
        bench.report(f"a point that is {case}", wrong, result.stdout + result.stderr)


def check_binding(bench):
    """A singleton is a process of its own: its threads are bound, each to another core, if they fit."""
    for name, more in (("bound", []), ("confined", ["-Dsched_setaffinity=refused"])):
        subprocess.run([bench.bin / "mpicc", "-O1", "-D_XOPEN_SOURCE=700", *more, f"-I{SUITE}", "-o", bench.work / name,
                        bench.programs / "bound.c", *(SUITE / f"{shared}.c" for shared in SHARED), "-pthread"],
                       check=True)
    cores = len(os.sched_getaffinity(0))
    one = min(os.sched_getaffinity(0))
    for shows, line, wanted in (
            ("a thread is bound", "./bound --threads 1", rf"process cores 1 of {cores} \d+"),
            ("as many as there are cores are", f"./bound --threads {cores}",
             rf"process cores {cores} of {cores} (\d+(,|$)){{{cores}}}"),
            ("one too many: none is", f"./bound --threads {cores + 1}",
             rf"process none {cores + 1} of {cores} (-{cores}(,|$)){{{cores + 1}}}"),
            ("--bind none", "./bound --threads 1 --bind none", rf"process none 1 of {cores} -{cores}"),
            ("none is where the system refuses", "./confined --threads 1", rf"process none 1 of {cores} -{cores}"),
            ("the user's affinity is the limit", f"taskset -c {one} ./bound --threads 1",
             rf"process cores 1 of 1 {one}"),
            ("ranks of one process are the library's", "mpiexec -n 2 ./bound --threads 1",
             rf"thread library 2 of {cores} -\d+")):
        result = bench.run(line)
        first = result.stdout.splitlines()[0] if result.stdout else ""
        wrong = [] if re.fullmatch(wanted, first) else [f"'{first}' does not match {wanted}"]
        cpus = first.split()[-1].split(",") if first else []
        if "cores" in first and len(set(cpus)) != len(cpus):
            wrong.append("two threads have the same core")
        bench.report(shows, wrong, result.stdout + result.stderr)


SHARED = "options binding measure payload pairs output".split()


def unpacked(bench):
    """The suite as its archive has it, in a folder without the repository."""
    alone, archive = bench.work / "alone", bench.work / "suite.tar.gz"
    subprocess.run([sys.executable, SUITE / "archive.py", archive], check=True, stdout=subprocess.DEVNULL)
    shutil.unpack_archive(archive, alone)
    return alone / "threads-suite"


def main():
    bench = Bench(sys.argv)
    subprocess.run(["make", "-s", "-C", unpacked(bench), f"MPICC={bench.bin / 'mpicc'}", f"OUT={bench.work}",
                    "CFLAGS=-O1 -g -Werror"], check=True)
    makefile = re.sub(r"\\\n", " ", (SUITE / "Makefile").read_text())
    programs = set(re.search(r"^PROGRAMS = (.*)$", makefile, re.MULTILINE)[1].split())
    tried = {words.split()[0] for _, words, _ in ROWS}
    bench.report("every program is tried", sorted(programs ^ tried))
    for row in ROWS:
        run_minimally(bench, *row)
    for row in REFUSED:
        bench.check(row)
    check_lists(bench)
    check_table(bench)
    check_wrong_data(bench)
    check_doubts(bench)
    check_binding(bench)
    bench.done()


main()
