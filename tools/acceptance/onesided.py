"""One-sided communication: OSU's programs, Intel's IMB-RMA and IMB-EXT, two Parallel Research Kernels, ARMCI-MPI's tests.

Three of OSU's atomic ones compare what they have read (-c); its others, in all kinds of windows and synchronizations, must end
and tell a figure for each size. IMB is built to check its data (-DCHECK): all its defects must be 0. The kernels validate
their solutions. ARMCI-MPI's tests end with 0 if what they find is right.
"""
import pathlib
import re
import shutil
import subprocess

import imb
import modes
from git_source import fetch_commit, must

# The authors of OSU's programs publish archives; this is a copy of 7.4.
OSU = ("sherrywong1220/osu-micro-benchmarks-7.4", "6a58a2a23ac2b650d591778f0a6ebe0fa037cf3f", ("c",))
KERNELS = ("ParRes/Kernels", "04248b66a03d7f5edba8d54c9ae7834dd718027a", ("MPIRMA", "include", "common"))
ARMCI = ("pmodels/armci-mpi", "035d5b4e07a6a3ed5ccfbead50c0c15341298cc6", ("src", "tests"))

FLAGS = ["-O1", "-w"]
OSU_FLAGS = ["-DFIELD_WIDTH=18", "-DFLOAT_PRECISION=2", '-DPACKAGE_VERSION="7.4"']
OSU_UTILITIES = ["osu_util", "osu_util_mpi", "osu_util_graph", "osu_util_papi", "osu_util_validation"]
WINDOWS = ("create", "allocate", "dynamic")
SYNCHRONIZATIONS = ("pscw", "fence", "lock", "flush", "flush_local", "lock_all")
TWO_SIDED = ("bibw",)  # both ranks access at once, so OSU has no passive target for it
CHECKED = ("osu_acc_latency", "osu_cas_latency", "osu_fop_latency")
KERNEL_RUNS = [("Stencil/stencil", "10 300"), *[("Transpose/transpose", f"10 420 {more}") for more in ("35 0", "35 1", "35 1 1 2")]]
# What ARMCI-MPI's configure finds here.
ARMCI_CONFIGURATION = "".join(f"#define HAVE_{name} 1\n" for name in (
    "INTTYPES_H", "STDINT_H", "STDBOOL_H", "STRINGS_H", "STRING_H", "UNISTD_H", "ERRNO_H", "TIME_H", "SYS_TIME_H", "NANOSLEEP", "USLEEP"))
ARMCI_LEFT_OUT = ("mutex_hdl_spin",)  # its own makefile does not build it
ARMCI_NO_PROGRAMS = ("test_parmci", "test_parmci_lib")  # need its profiler
ARMCI_MUST_FAIL = ("test_assert",)
LIMIT = 600  # seconds a run


def add_arguments(parser):
    parser.add_argument("--ranks", default="4", help="even numbers of ranks of all but OSU's programs for two ranks")
    parser.add_argument("--only", default="", metavar="REGEX", help="runs whose titles it matches, e.g. '^osu_put.* fence'")
    parser.add_argument("--sources", type=pathlib.Path, metavar="FOLDER", help="where clones are, as FOLDER/OWNER/NAME; GitHub")
    modes.add_mode(parser)


def _build_osu(source, programs, mpicc, log):
    utilities = [source / f"c/util/{name}.c" for name in OSU_UTILITIES]
    for program in sorted((source / "c/mpi/one-sided").glob("*.c")):
        must(log, mpicc, *FLAGS, *OSU_FLAGS, f"-I{source}/c/util", "-o", programs / program.stem, program, *utilities, "-lm", folder=source)


def _build_imb(source, programs, mpicc, log):
    imb.build(source, programs, ("RMA", "EXT"), mpicc, log)


def _build_kernels(source, programs, mpicc, log):
    (source / "common/make.defs").write_text(f"MPICC={mpicc}\nDEFAULT_OPT_FLAGS={' '.join(FLAGS)}\n")
    for program in dict(KERNEL_RUNS):
        folder, name = program.split("/")
        must(log, "make", "-C", f"MPIRMA/{folder}", name, folder=source)
        shutil.copy(source / "MPIRMA" / program, programs)


def _build_armci(source, programs, mpicc, log):
    (source / "src/armciconf.h").write_text(ARMCI_CONFIGURATION)
    compile_it = [mpicc, *FLAGS, "-DHAVE_CONFIG_H", "-Isrc"]
    library = [file for file in sorted((source / "src").glob("*.c")) if file.stem not in ARMCI_LEFT_OUT]
    must(log, *compile_it, "-c", *library, folder=source)
    objects = [source / f"{file.stem}.o" for file in library]
    tests = [*(source / "tests").glob("*.c"), *(source / "tests/mpi").glob("test_*.c"), source / "tests/contrib/armci-test.c"]
    for test in sorted(tests):
        if test.stem not in ARMCI_NO_PROGRAMS:
            must(log, *compile_it, "-o", programs / f"armci_{test.stem}", test, *objects, "-lm", folder=source)


def build(work, prefix, options):
    """Returns the folder of the programs."""
    work.mkdir(parents=True, exist_ok=True)
    programs = work / "programs"
    stamp, made = work / "built-for", f"{prefix} {OSU} {imb.IMB} {KERNELS} {ARMCI}"
    if stamp.exists() and stamp.read_text() == made:
        return programs
    stamp.unlink(missing_ok=True)
    programs.mkdir(exist_ok=True)
    with open(work / "build.log", "w") as log:
        for (repository, commit, folders), build_it in ((OSU, _build_osu), (imb.IMB, _build_imb), (KERNELS, _build_kernels), (ARMCI, _build_armci)):
            source = fetch_commit(repository, commit, work, options.sources, folders)
            build_it(source, programs, prefix / "bin/mpicc", log)
    stamp.write_text(made)
    return programs


def wrong_in_osu(text, checked):
    """What is wrong with the output of one of OSU's programs, or nothing. Figures of sizes are lines of numbers."""
    rows = [line.split() for line in text.splitlines() if re.match(r"\d+\s", line)]
    if not rows and not re.search(r"^\s*[\d.]+", text, re.M):
        return "it tells no figure"
    if checked and not re.search(r"^PASSED: All", text, re.M):
        return "it does not say that all validations passed"
    bad = re.search(r"\b(failed|FAILED|nan|inf)\b", text)
    return f"it says {bad[1]}" if bad else ""


def wrong_in_kernel(text):
    return "" if re.search(r"^Solution validates$", text, re.M) else "its solution is not right"


def runs(ranks, programs, small):
    """All runs: (title, ranks, program, arguments, what is wrong with an output, must it fail)."""
    usual = ["-i", "20", "-x", "2"] if small else ["-i", "200", "-x", "10"]
    size = [] if small else ["-m", "1:1048576"]
    for program in sorted(programs.glob("osu_*")):
        several = program.stem in ("osu_get_mbw", "osu_get_multi_lat")
        # The target checks what the first iteration has made of its memory, while the origin goes on with the others.
        amount = ["-c", "-i", "1", "-x", "0"] if program.stem in CHECKED else usual
        sized = [] if program.stem in ("osu_cas_latency", "osu_fop_latency") else size or ["-m", "8:8192"]
        for window in WINDOWS:
            for synchronization in SYNCHRONIZATIONS[:2] if program.stem.endswith(TWO_SIDED) else SYNCHRONIZATIONS:
                # Ranks 0 and 1 alone tell each other the addresses of dynamic windows.
                number = ranks if several and window != "dynamic" else "2"
                yield (f"{program.stem} {window} {synchronization}", number, program,
                       ["-w", window, "-s", synchronization, *amount, *sized],
                       lambda text, is_checked=program.stem in CHECKED: wrong_in_osu(text, is_checked), False)
    for name in ("IMB-RMA", "IMB-EXT"):
        yield name, ranks, programs / name, ["-iter", "3" if small else "20", "-msglog", "2:12" if small else "2:20"], imb.wrong_in, False
    for program, arguments in KERNEL_RUNS:
        yield f"{program} {arguments}", ranks, programs / program.split("/")[1], arguments.split(), wrong_in_kernel, False
    for program in sorted(programs.glob("armci_*")):
        yield program.stem, ranks, program, [], lambda text: "", program.stem.removeprefix("armci_") in ARMCI_MUST_FAIL


def run(programs, folder, prefix, ranks, options):
    """Returns what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    complaints, done = [], 0
    for title, number, program, arguments, wrong_in, must_fail in runs(ranks, programs, options.small):
        if not re.search(options.only, title):
            continue
        done += 1
        command = [prefix / "bin/mpiexec", *modes.MODES[options.mode], "-n", number, program, *arguments]
        try:
            result = subprocess.run(list(map(str, command)), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace",
                                    stderr=subprocess.STDOUT, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            complaints.append(f"{title}: not over within {LIMIT} s")
            continue
        if must_fail:
            wrong = "it must fail" if result.returncode == 0 else ""
        else:
            wrong = f"status {result.returncode}" if result.returncode else wrong_in(result.stdout)
        if wrong:
            complaints.append(f"{title}: {wrong}\n{result.stdout[-500:]}")
    print(f"{done} runs, {len(complaints)} wrong", flush=True)
    return complaints
