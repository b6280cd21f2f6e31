"""MPICH's own test programs: hundreds of small C and Fortran programs, each of which says " No Errors" or what is wrong.

A program that needs a function which is not implemented here does not link; that is no failure, and is counted.
"""
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys

import modes
import mpich_fortran
import mpich_programs
from debian_source import fetch_original

# What MPICH's configure would find with our mpicc.
CONFIGURATION = """
#define F77_NAME_LOWER_USCORE 1
#define HAVE_DLFCN_H 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_GETRUSAGE 1
#define HAVE_INTTYPES_H 1
#define HAVE_LIMITS_H 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define HAVE_LONG_LONG 1
#define HAVE_MEMSET 1
#define HAVE_MPI_INTEGER16 1
#define HAVE_MPI_WIN_CREATE 1
#define HAVE_PTHREAD_BARRIER_INIT 1
#define HAVE_PTHREAD_H 1
#define HAVE_STDARG_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRDUP 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_USLEEP 1
#define HAVE__BOOL 1
#define POINTERINT_t long
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_MPI_OFFSET 8
#define SIZEOF_SHORT 2
#define SIZEOF_VOID_P 8
#define STDCALL
#define STDC_HEADERS 1
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define USE_STRICT_MPI 1
"""

# The programs know the rule of MPI 3: errors of calls that name no communicator go to MPI_COMM_WORLD's handler. Since
# MPI 4.0 they go to that of MPI_COMM_SELF.
RULES_OF_MPI_3 = """
#include <mpi.h>
static inline int set_errhandler_of_mpi_3(MPI_Comm comm, MPI_Errhandler handler) {
  if (comm == MPI_COMM_WORLD) MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  return MPI_Comm_set_errhandler(comm, handler);
}
#define MPI_Comm_set_errhandler set_errhandler_of_mpi_3
/* MPI 4.1 standardized three extensions of MPICH under other names. */
#define MPI_Delete_error_class MPI_Remove_error_class
#define MPI_Delete_error_code MPI_Remove_error_code
#define MPI_Delete_error_string MPI_Remove_error_string
"""

SUPPORT = ["util/mtest.c", "util/mtest_common.c", "util/dtypes.c", "dtpools/src/dtpools.c",
           "dtpools/src/dtpools_misc.c", "dtpools/src/dtpools_init_verify.c", "dtpools/src/dtpools_desc.c",
           "dtpools/src/dtpools_attr.c", "dtpools/src/dtpools_custom.c"]

# Helpers that a program does not use may need functions that we do not have: they are dropped when it is linked.
# mtest_mpix.h would give functions of MPI 4.1 MPICH's own names.
FLAGS = ["-O1", "-g", "-w", "-Werror=implicit-function-declaration", "-ffunction-sections",
         "-fvisibility=hidden", "-DHEDDLE_MPI1", "-DMTEST_MPIX_H_INCLUDED", "-Iinclude", "-Idtpools/include",
         "-include", "include/rules_of_mpi_3.h"]

USUAL_SECONDS = {"threads": 60, "processes": 180, "mixed": 180}  # processes wait for the kernel's turns
SECONDS_TO_FAIL = 5  # some that must fail do it by waiting for ever
SMALL_AT_A_TIME = 4  # most of the time of --small is that of mpiexec and of programs that wait
GIGABYTES = 2.0  # runs that need more are left out

# Why a program may fail that is right by its own lights, and which do. Each of them must fail.
EXPECTED_FAILURES = {
    "is an erroneous program, and wants an error that is not checked for here (docs/reference/conformance.md)": [
        "errors/coll/noalias", "errors/coll/noalias2", "errors/coll/reduce_local", "errors/coll/bcastlength",
        "errors/coll/reduceop", "errors/coll/scatterlength", "errors/coll/allgatherlength",
        "errors/coll/nb_noalias", "errors/coll/noalias3", "errors/coll/ibcastlength", "errors/coll/ireduceop",
        "errors/coll/iscatterlength", "errors/coll/iallgatherlength",
        "errors/pt2pt/truncmsg2"],
    "wants to run out of communicators; 200,000 of them are no problem here": [
        "errors/comm/too_many_comms", "errors/comm/too_many_comms2", "errors/comm/too_many_comms3",
        "errors/comm/too_many_icomms", "errors/comm/too_many_icomms2"],
    "expects MPI_COMM_WORLD's error handler for a null pointer given with another communicator": [
        "errors/comm/comm_create_nullarg", "errors/comm/comm_create_group_nullarg",
        "errors/comm/comm_split_nullarg", "errors/comm/comm_split_type_nullarg"],
    "uses MPI_LB or MPI_UB as a handle, which MPI 3.0 removed; here only MPI_Type_struct knows them": [
        "datatype/struct_no_real_types", "datatype/typename_oldapi"],
    "uses a datatype that it has freed before": ["datatype/indexed_misc", "datatype/indexed_misc_oldapi"],
    "has datatypes as ints, and they are pointers in the ABI": ["coll/nonblocking2", "coll/nonblocking3"],
    "has handles as the cases of a switch, and they are pointers in the ABI": ["datatype/pack_external"],
    "compares an MPI_Message with MPI_REQUEST_NULL": [
        "threads/pt2pt/mt_improbe_isendrecv", "threads/pt2pt/mt_improbe_sendrecv",
        "threads/pt2pt/mt_improbe_sendrecv_huge"],
    "expects that a send can be cancelled when its message was copied and it is complete": [
        "pt2pt/scancel", "pt2pt/pscancel", "pt2pt/scancel_unmatch"],
    "wants MPI_COMM_NULL as the output of a call that failed; here outputs are set only on success": [
        "errors/topo/cartsmall"],
    "expects MPI_Cart_sub without dimensions to leave out all ranks but one, where each is a grid of its own": [
        "topo/cartsuball"],
    "tests that MPICH's mpiexec obeys MPIEXEC_TIMEOUT": ["init/timeout"],
    "uses MPIO_Request, the name that requests of files had before MPI 2.0": ["io/async"],
    "sends with MPI_DATATYPE_NULL to a rank": ["part/nonblocking_pready"],
}
# Those of them that MPICH has mended since Debian's version: with --sources they must pass.
MENDED_LATER = [
    "coll/nonblocking2", "coll/nonblocking3", "datatype/pack_external", "threads/pt2pt/mt_improbe_isendrecv",
    "threads/pt2pt/mt_improbe_sendrecv", "threads/pt2pt/mt_improbe_sendrecv_huge", "topo/cartsuball"]
# Those that must pass in one process: its ranks find out if their lengths differ (decision 111).
RIGHT_IN_ONE_PROCESS = ["errors/coll/allgatherlength", "errors/coll/iallgatherlength"]
WHY = {program: reason for table in (EXPECTED_FAILURES, mpich_fortran.EXPECTED_FAILURES)
       for reason, programs in table.items() for program in programs}

# What --small runs, for CI, without generated datatypes.
SMALL = ["coll", "comm", "errors/coll", "errors/comm", "errors/datatype", "errors/group", "errors/pt2pt", "errors/topo",
         "group", "init", "mpi_t", "part", "pt2pt", "threads/comm", "threads/init", "topo"]


def add_arguments(parser):
    parser.add_argument("--ranks", default="listed",
                        help="numbers of ranks to run those programs with that are listed with 2 or more ranks; "
                             "'listed' stands for the listed number")
    modes.add_mode(parser)
    parser.add_argument("--workers", type=int, default=2, help="kernel threads that run the ranks, of all processes of threads together")
    parser.add_argument("--sources", metavar="FOLDER", type=pathlib.Path,
                        help="test/mpi of another version of MPICH, in place of Debian's; give it a --work of its own")
    parser.add_argument("--only", default="", metavar="PATTERN", help="only programs (folder/name) that match")


def _run(command, folder, **options):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)


def _must(command, folder):
    result = _run(command, folder)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{result.stdout[-3000:]}")


def _unpack(work, given):
    """The folder test/mpi of MPICH's source; a copy, if it is given."""
    if given is not None:
        return shutil.copytree(given, work / "test-mpi", dirs_exist_ok=True)
    tarball = fetch_original("mpich", work)
    found = sorted(work.glob("mpich-*/test/mpi"))
    if not found:
        _must(["tar", "-xf", tarball, "--wildcards", "mpich-*/test/mpi/*"], work)
        found = sorted(work.glob("mpich-*/test/mpi"))
    return found[-1]


class Tests:
    """MPICH's programs, built in a folder of their own."""

    def __init__(self, root, bin_folder, runs):
        self.root = root
        self.bin = bin_folder
        self.runs = runs
        self.missing = {}  # program -> names that the linker or the compiler does not find
        self.broken = {}  # program -> other complaints

    def executable(self, path):
        return self.bin / path


@dataclasses.dataclass
class Support:
    """Object files of what all programs share."""
    of_one_thread: list
    of_several: list
    fortran: dict = dataclasses.field(default_factory=dict)  # as mpich_fortran.support() gives them


def _support(mpicc, root):
    """What those in C share."""
    (root / "include/mpitestconf.h").write_text(CONFIGURATION)
    (root / "include/rules_of_mpi_3.h").write_text(RULES_OF_MPI_3)
    (root / "dtpools/dtpoolsconf.h").write_text(CONFIGURATION)
    (root / "include/mtest_mpix.h").touch()  # newer versions of MPICH generate it

    def compile_one(source):
        result = root / source.replace(".c", ".o")
        _must([mpicc, *FLAGS, "-c", source, "-o", result], root)
        return result

    *common, single, threaded = map(compile_one, [*SUPPORT, "util/mtest_single.c", "util/mtest_thread.c"])
    return Support([*common, single], [*common, threaded])


def _build_c(tests, mpicc, path, support, executable):
    program = mpich_programs.program(tests.root, path)
    thread_flags = ["-DMTEST_USE_THREAD", "-pthread"] if program.threaded else []
    objects = support.of_several if program.threaded else support.of_one_thread
    return _run([mpicc, *FLAGS, *thread_flags, *program.flags, *program.sources, *objects, "-Wl,--gc-sections", "-lm",
                 "-o", executable], tests.root)


def _build_one(tests, mpicc, path, support):
    """Compiles and links one program, notes what it lacks."""
    executable = tests.executable(path)
    if executable.exists() and executable.stat().st_mtime > mpicc.stat().st_mtime:
        return
    executable.parent.mkdir(parents=True, exist_ok=True)
    if mpich_fortran.is_fortran(tests.root, path):
        result = mpich_fortran.build(tests, (mpicc, mpicc.with_name("mpifort")), path, support.fortran, _run)
    else:
        result = _build_c(tests, mpicc, path, support, executable)
    if not result.returncode:
        return
    names = set(re.findall(r"(?:undefined reference to `|implicit declaration of function .|error: .)(P?MPIX?_\w+|p?mpi_\w+_)\b",
                           result.stdout))
    if names:
        tests.missing[path] = sorted(names)
    else:
        tests.broken[path] = result.stdout.strip()[-1000:]


def build(work, prefix, options):
    """Builds the programs that are asked for; returns what there is to run."""
    root = _unpack(work, options.sources)
    if options.sources is not None:
        for program in MENDED_LATER + mpich_fortran.MENDED_LATER:
            WHY.pop(program, None)
    if options.hosts == 1 and options.mode == "threads":
        for program in RIGHT_IN_ONE_PROCESS:
            WHY.pop(program, None)
    mpicc = prefix / "bin/mpicc"
    mpich_fortran.prepare(root)
    in_fortran = mpich_fortran.runs(root) if mpicc.with_name("mpifort").exists() and not options.small else []
    wanted = [run for run in mpich_programs.runs(root) + in_fortran
              if re.search(options.only, run.program)
              and (not options.small or (run.folder in SMALL and not run.generated))]
    tests = Tests(root, work / "bin", wanted)
    paths = list(dict.fromkeys(run.program for run in wanted))
    print(f"building {len(paths)} programs with {mpicc}", flush=True)
    support = _support(mpicc, root)
    if in_fortran:
        support.fortran = mpich_fortran.support(tests, mpicc.with_name("mpifort"), _run)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda path: _build_one(tests, mpicc, path, support), paths))
    return tests


def _judge(verdict, result):
    """What is wrong with the output of a run, or nothing."""
    lines = [line for line in result.stdout.splitlines() if line.strip()]
    wrong = []
    if verdict.says_nothing_else:
        wrong = [line for line in lines if not re.fullmatch(r"\s*(No [Ee]rrors|Test Passed|Test Skipped)\s*", line)
                 and not (verdict.may_warn and line.startswith(("MPICH: ", "WARNING: ")))]
    if bool(result.returncode) == verdict.succeeds:
        wrong.append(f"exit status {result.returncode}")
    if verdict.says_no_errors and not any(re.fullmatch(r"\s*(No [Ee]rrors|Test Skipped)\s*", line) for line in lines):
        wrong.append("it does not say No Errors")
    return "; ".join(wrong[:6] + wrong[6:][-6:])


def _run_one(tests, run, ranks, prefix, options, folder):
    """What is wrong with one run, or nothing."""
    workers = max(1, options.workers // 2) if options.mode == "mixed" else options.workers  # of each process
    command = [prefix / "bin/mpiexec", "--workers", str(workers), *modes.MODES[options.mode], *run.options, "-n", str(ranks),
               tests.executable(run.program), *run.arguments]
    environment = {**os.environ, **dict(value.split("=", 1) for value in run.environment)}
    limit = SECONDS_TO_FAIL if run.program in WHY else run.time_limit or USUAL_SECONDS[options.mode]
    try:
        return _judge(run.verdict, _run(command, folder, env=environment, timeout=limit, stdin=subprocess.DEVNULL))
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode(errors="replace").strip()
        return f"it did not end within {limit} seconds; {said[-300:]}"


def run(tests, folder, prefix, ranks, options):
    """Runs what was built; returns the complaints that are no expected ones."""
    folder.mkdir(parents=True, exist_ok=True)
    complaints = [f"{path}: does not compile: {text}" for path, text in tests.broken.items() if path not in WHY]
    expected = [f"{path}: {WHY[path]}" for path in tests.broken if path in WHY]
    passed, left_out = 0, []

    def started(one):
        """Its title, and what is wrong with it; None: it is left out."""
        number = one.ranks if ranks == "listed" or one.ranks == 1 else int(ranks)
        return one.title(number), None if one.gigabytes > GIGABYTES else _run_one(tests, one, number, prefix, options, folder)

    runs = [one for one in tests.runs if one.program not in tests.missing and one.program not in tests.broken]
    with concurrent.futures.ThreadPoolExecutor(SMALL_AT_A_TIME if options.small else 1) as pool:
        outcomes = list(pool.map(started, runs))
    for one, (title, wrong) in zip(runs, outcomes):
        if wrong is None:
            left_out.append(title)
        elif wrong and one.program in WHY:
            expected.append(f"{title}: {WHY[one.program]}")
        elif one.program in WHY:
            complaints.append(f"{title}: it passes, and is in the list of expected failures")
        elif wrong:
            complaints.append(f"{title}: {wrong}")
        else:
            passed += 1
    _summary(tests, passed, complaints, expected, left_out)
    return complaints


def _summary(tests, passed, complaints, expected, left_out):
    print(f"{passed} runs passed, {len(complaints)} failed, {len(expected)} failed as expected, "
          f"{len(left_out)} left out (memory), {len(tests.missing)} programs not built")
    for line in expected:
        print(f"  expected: {line}")
    for line in left_out:
        print(f"  needs much memory: {line}")
    lacking = collections.defaultdict(list)
    for path, names in tests.missing.items():
        lacking[names[0]].append(path)
    for name, paths in sorted(lacking.items()):
        print(f"  not built: {name}: {' '.join(paths)}")
