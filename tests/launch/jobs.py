"""Jobs as a user runs them: what they print, where, and with which status they end."""
import functools
import re
import shlex
import subprocess
import sys

from table import Bench

MPI_ERR_ARG = 13
MPI_ERR_OTHER = 16
MPI_T_ERR_CANNOT_INIT = 1001
TOOLS = r"\Ainitialized 0\ncommunicators 1\ncycles many, time some\nclosed 1\n\Z"

ROWS = [
    ("one rank", "mpiexec ./tell", 0, r"\A0 of 1\n\Z", None),
    ("several", "mpiexec -n 3 ./tell", 0, r"^2 of 3$", None),
    ("more than cores", "mpiexec -n 64 ./tell", 0, r"^63 of 64$", None),
    ("one worker is enough", "mpiexec -n 8 --workers 1 ./ring", 0, r"\Asum 28\n\Z", None),
    ("a lifetime policy", "mpiexec -n 8 ./ring", 0, r"\Asum 28\n\Z", None, {"env": {"HEDDLE_LIFETIME": "atomic"}}),
    ("a wrong setting without mpiexec fails in MPI_Init", "./tell", MPI_ERR_ARG, None,
     "MPI_Init.*HEDDLE_EAGER_LIMIT is '8192x', but must be a whole number of bytes", {"env": {"HEDDLE_EAGER_LIMIT": "8192x"}}),
    ("and in MPIX_Run", "./many", 0, rf"\A{MPI_ERR_ARG}\n\Z",
     "^MPIX_Run: HEDDLE_LIFETIME is 'magic', but must be atomic, predefined, collector, none or asserted$",
     {"env": {"HEDDLE_LIFETIME": "magic"}}),
    ("which runs with a right one", "./many", 0, r"\A(ran\n){3}0\n\Z", None, {"env": {"HEDDLE_LIFETIME": "atomic"}}),
    ("tools need no MPI_Init", "./tools", 0, TOOLS, None),
    ("nor under mpiexec", "mpiexec ./tools", 0, TOOLS, None),
    ("they hear of a wrong setting", "./tools", 0, rf"\AMPI_T_init_thread gave {MPI_T_ERR_CANNOT_INIT}\n\Z", None,
     {"env": {"HEDDLE_LIFETIME": "magic"}}),
    *[(f"sessions without MPI_Init: {command}", command, 0, r"\Aok\n\Z", None)
      for command in ("./sessions", "mpiexec -n 1 ./sessions", "mpiexec -n 5 ./sessions", "./sessions late", "mpiexec -n 5 ./sessions late",
                      "./sessions after", "mpiexec -n 5 ./sessions after", "mpiexec -n 2 ./sessions many")],
    ("MPI_COMM_WORLD is none of a session", "mpiexec -initial-errhandler mpi_errors_return -n 1 ./sessions world", 0,
     "MPI_Comm_size: argument comm is MPI_COMM_WORLD, which is there between MPI_Init and MPI_Finalize only; ", None),
    *[(f"sessions may be left open at the end: {command}", command, 0, r"\A\Z", r"\A\Z")
      for command in ("./sessions open", "mpiexec -n 1 ./sessions open", "mpiexec -n 5 ./sessions open")],
    ("but not where others wait", "mpiexec -n 3 ./sessions quit 1 before", 1, None,
     r"\Arank 1: .*ended with status 0 without calling MPI_Session_finalize; the other ranks cannot go on\n\Z"),
    ("others may do what they like outside of MPI", "mpiexec -n 3 ./sessions idle 1", 0, r"\A\Z", r"\A\Z"),
    ("a rank that fails in a session ends all", "mpiexec -n 3 ./sessions fail 1", 3, None,
     r"\Arank 1: the program ended with status 3 without calling MPI_Session_finalize; .*\n\Z"),
    ("more workers than cores", "mpiexec -n 8 --workers 4 ./ring", 0, r"\Asum 28\n\Z", None),
    *((f"ranks go where they are mapped: {way}",
       f"mpiexec -n 10 --bind-to none --report-bindings {way} ./ring", 0, r"\Asum 45\n\Z",
       "".join(rf"^mpiexec: worker {worker} is not bound: ranks? {ranks}\n" for worker, ranks in enumerate(places)),
       {"env": {"HWLOC_SYNTHETIC": "pack:2 numa:2 core:2 pu:1"}})
      for way, places in (("", ("0-1", "2", "3", "4", "5-6", "7", "8", "9")),
                          ("--map-by core", ("0,8", "1,9", "2", "3", "4", "5", "6", "7")),
                          ("--map-by numa", ("0,8", "4", "1,9", "5", "2", "6", "3", "7")),
                          ("--map-by socket", ("0,8", "2", "4", "6", "1,9", "3", "5", "7")),
                          ("--map-by numa --rank-by fill", ("0,2", "1", "3,5", "4", "6", "7", "8", "9")))),
    ("a worker is bound to one core", "mpiexec -n 3 --workers 1 --report-bindings ./ring", 0, r"\Asum 3\n\Z",
     r"\Ampiexec: worker 0 on \[B[.|\]\[]*\]: ranks 0-2\n\Z"),
    ("no binding", "mpiexec -n 8 --bind-to none ./ring", 0, r"\Asum 28\n\Z", None),
    ("1024 ranks with private globals", "mpiexec -n 1024 ./ring", 0, r"\Asum 523776\n\Z", None),
    ("arguments arrive", "mpiexec -n 2 ./tell 'a b' \"\" '#'", 0, r"^1 of 2 \[a b\] \[\] \[4\]$", None),
    ("-wdir is each rank's directory", "mpiexec -n 2 -wdir /usr ./tell cwd", 0, r"^1 of 2 \[/usr\]$", None),
    ("-x sets", "mpiexec -n 2 -x A=7 ./tell =A", 0, r"^1 of 2 \[7\]$", None),
    ("-x exports", "mpiexec -n 2 -x A ./tell =A", 0, r"^1 of 2 \[8\]$", None, {"env": {"A": "8"}}),
    ("-genv sets", "mpiexec -n 2 -genv A 9 ./tell =A", 0, r"^1 of 2 \[9\]$", None),
    *[(f"libraries that ranks share see {option.split()[0]}, too", f"mpiexec -n 2 {option} ./tell =A ~A", 0, r"^1 of 2 \[9\] \[9\]$", None)
      for option in ("-x A=9", "-env A 9", "-genv A 9", "-genv A 8 -x A=9")],
    ("also where all programs have it", "mpiexec -x A=9 ./tell ~A : -env A 9 ./tell ~A", 0, r"^1 of 2 \[9\]$", None),
    ("but not where only one has", "mpiexec -x A=9 ./tell ~A : -x A=8 ./tell =A ~A", 0, r"^1 of 2 \[8\] \[7\]$", None, {"env": {"A": "7"}}),
    ("the dynamic linker finds libraries by it", "mpiexec -n 2 -x LD_LIBRARY_PATH={work}/found ./finder", 0, r"\A(found\n){2}\Z", None),
    ("unless only some ranks have it", "mpiexec -x LD_LIBRARY_PATH={work}/found ./tell : ./tell", 0, r"^1 of 2$",
     r"\Ampiexec: LD_LIBRARY_PATH has no effect: one process loads all ranks.*\n\Z"),
    ("several programs, one world", "mpiexec -n 2 ./tell a : -n 3 ./tell b", 0, r"^4 of 5 \[b\]$", None),
    ("each with its environment", "mpiexec -x A=1 ./tell =A : -x A=2 ./tell =A", 0, r"^0 of 2 \[1\]$", None),
    ("other programs talk", "mpiexec -n 2 ./ring : -n 2 ./ring", 0, r"\Asum 6\n\Z", None),
    ("MPI_APPNUM counts programs", "mpiexec ./tell @ : -n 2 ./tell @", 0, r"\A(?=[^$]*^0 of 3 \[0\]$)(?=[^$]*^2 of 3 \[1\]$)", None),
    ("MPI_INFO_ENV tells of the start", "mpiexec ./tell a : -n 2 -wdir /usr {work}/tell %command %argv %maxprocs %wdir %soft",
     0, r"^2 of 3 \[\S+/tell\] \[%command %argv %maxprocs %wdir %soft\] \[2\] \[/usr\] \[\(none\)\]$", None),
    ("an error handler from the start to the end", "mpiexec -n 2 -initial-errhandler mpi_errors_return ./errors", 0,
     r"\A(?=(.*\n)*before returned)(?=(.*\n)*return return)(?=(.*\n)*within returned)(?=(.*\n)*after returned)", None),
    ("which is fatal if nobody says so", "mpiexec ./errors", MPI_ERR_OTHER, None, "called before MPI_Init"),
    ("MPI_INFO_ENV tells of it", "mpiexec -initial-errhandler=mpi_errors_abort ./tell %mpi_initial_errhandler", 0,
     r"\[mpi_errors_abort\]$", None),
    ("labels", "mpiexec -l -n 2 ./tell", 0, r"^\[1\] 1 of 2$", None),
    ("stdin goes to rank 0", "mpiexec -n 2 ./input", 0, r"^0: a\n(.*\n)*0: b\n(.*\n)*0: end$", None, {"stdin": "a\nb\n"}),
    ("and to no other", "mpiexec -n 2 ./input", 0, r"^1: end$", None, {"stdin": "a\nb\n"}),
    ("the status of main", "mpiexec -n 4 ./leave return 2 17", 17, None, ""),
    ("the status of exit", "mpiexec -n 4 ./leave exit 3 18", 18, None, ""),
    ("MPI_Abort ends all", "mpiexec -n 4 ./leave abort 1 19", 19, None, "rank 1"),
    ("leaving early ends all", "mpiexec -n 4 ./leave early 1 20", 20, None, "rank 1"),
    ("leaving early with 0 fails where others wait", "mpiexec -n 4 ./leave early 1 0", 1, None,
     r"\Arank 1: the program ended with status 0 without calling MPI_Finalize; the other ranks cannot go on\n\Z"),
    ("or finalize", "mpiexec -n 4 ./leave half 1", 1, None, "status 0 without calling MPI_Finalize"),
    ("but not where all do so", "mpiexec -n 4 ./leave never 2", 0, r"\Alast\n\Z", None),
    ("nor with one worker", "mpiexec -n 4 --workers 1 ./leave never 0", 0, r"\Alast\n\Z", None),
    ("nor in a job of one", "mpiexec -n 1 ./leave never 0", 0, r"\Alast\n\Z", None),
    ("failing before MPI_Init ends all", "mpiexec -n 3 ./leave return 9 : ./leave outside 3 21", 21, None, "before it called MPI_Init"),
    ("and so it does if nobody was in it yet", "mpiexec --workers 1 ./leave outside 0 22 : -n 3 ./leave return 9", 22, None,
     "before it called MPI_Init"),
    ("and so does one in a constructor", "mpiexec -n 3 -x EARLY=23 ./exit_outside", 23, r"^ended in a constructor$", "rank [0-2]: .*in a constructor or destructor"),
    ("alone it just ends", "mpiexec -n 1 -x EARLY=0 ./exit_outside", 0, r"\Aended in a constructor\n\Z", None),
    ("as it does in a destructor", "mpiexec -n 1 -x LATE=24 ./exit_outside", 24, None, None),
    ("and that ends a larger job", "mpiexec -n 3 -x LATE=25 ./exit_outside", 25, None, "constructor or destructor"),
    ("and as it does in a plugin", "mpiexec -n 3 -x PLUGIN={work}/exit_plugin.so ./exit_outside", 26, None,
     "constructor or destructor"),
    ("without mpiexec, MPI_Abort keeps what was printed", "./leave print 0 23", 23, r"^printed before$", "MPI_Abort"),
    ("a failed assertion names the program", "mpiexec -n 4 ./leave assert 1", 134, None,
     r"^leave: \S*leave.c:\d+: main: Assertion `rank != who' failed.$"),
    ("abort() is the shell's 134", "mpiexec -n 4 ./leave libc 1", 134, None, "rank 1"),
    ("a bad pointer is the shell's 139", "mpiexec -n 4 ./leave segv 2", 139, None, "rank 2"),
    ("a frame that is larger than the stack is told", "sh -c 'ulimit -s 8192; {mpiexec} -n 4 ./leave frame 1'", 139, None,
     r"^rank 1 crashed: .*; its stack of 81.. KiB overflowed\n(.*\n)*.* use_frame .*leave.c"),
    ("and so are calls that need more", "sh -c 'ulimit -s 8192; {mpiexec} -n 4 ./leave deep 1'", 139, None,
     r"^rank 1 crashed: .*; its stack of 81.. KiB overflowed$"),
    ("ulimit says how large the stacks are", "sh -c 'ulimit -s 120000; {mpiexec} -n 4 ./leave deep 1'", 0, None, None),
    ("without a limit they are large", "sh -c 'ulimit -s unlimited; {mpiexec} -n 4 ./leave deep 1'", 0, None, None),
    ("the crash is in main", "mpiexec -n 4 ./leave segv 2", 139, None, "main"),
    ("a crash after a move is that of the rank, and in its program", "mpiexec -n 4 --workers 2 ./moved", 139, None,
     r"^rank 1 crashed: .*\n(.*\n)*.*main .*moved.c:20$"),
    ("who helps to copy does not crash for whose copy it is", "mpiexec -n 2 --workers 2 ./short_buffer", 139, None,
     r"^rank 0 crashed: .* at address .*, inside MPI_Send\n(.*\n)*.*main .*short_buffer.c:16$"),
    ("without mpiexec: one rank", "./tell", 0, r"\A0 of 1\n\Z", None),
    *[(f"without mpiexec, one of several processes of another launcher is refused: {name}={value}", "./tell", MPI_ERR_OTHER, None,
       rf"MPI_Init: another launcher .*\({name} is {value}\).* Heddle's mpiexec, or unset {name} ", {"env": {name: value}})
      for name, value in (("PMI_SIZE", "2"), ("SLURM_STEP_NUM_TASKS", "4"), ("PMIX_RANK", "1"))],
    ("one that is alone is not, nor one of a batch script", "./tell", 0, r"\A0 of 1\n\Z", None,
     {"env": {"PMI_SIZE": "1", "PMI_RANK": "0", "SLURM_STEP_NUM_TASKS": "1", "PMIX_RANK": "0", "SLURM_NTASKS": "4", "SLURM_NPROCS": "4"}}),
    ("and ranks of mpiexec are not", "mpiexec -n 3 ./tell", 0, r"^2 of 3$", None,
     {"env": {"PMI_SIZE": "4", "SLURM_STEP_NUM_TASKS": "4", "PMIX_RANK": "3"}}),
    ("a program of no MPI is refused", "mpiexec --ranks-as threads -n 2 /bin/true", 1, None, "^[^\n]*true[^\n]*\n\\Z"),
    ("a program of another build is refused", "mpiexec -n 2 ./older", 1, None,
     "^[^\n]*finds the libheddle_libc.so of another build of Heddle[^\n]*\n\\Z"),
    ("a script is refused", "mpiexec --ranks-as threads -n 2 ./script", 1, None, "script"),
    ("nothing is loaded from the working directory", "env -C trap {mpiexec} -n 2 ../tell", 0, r"^1 of 2$", None),
]

# Not with a sanitizer, whose library must come first.
PRELOADS = [
    *[(f"a preloaded library stands before MPI and libc, {how}", line, 0, r"\A(?:preloaded (?=hello)|hello\n|barriers 2\n){9}\Z", None, env)
      for how, line, env in (
          ("for each rank", "mpiexec -n 3 ./preload", {"env": {"LD_PRELOAD": "{work}/tool.so:{work}/wrap.so"}}),
          ("by -x too", "mpiexec -n 3 -x LD_PRELOAD={work}/tool.so:{work}/wrap.so ./preload", {}),
          ("by a relative path", "mpiexec -n 3 -genv LD_PRELOAD './tool.so ./wrap.so' ./preload", {}),
          ("found by its name", "mpiexec -n 3 -x LD_LIBRARY_PATH={work} -x LD_PRELOAD=tool.so:wrap.so ./preload", {}))],
    ("a C++ program gets it, too", "mpiexec -n 3 -x LD_PRELOAD={work}/tool.so ./preload++", 0, r"\A(?:hello\n|barriers 2\n){6}\Z", None),
    ("without mpiexec it is the same", "./preload", 0, r"\Apreloaded hello\nbarriers 2\n\Z", None,
     {"env": {"LD_PRELOAD": "{work}/tool.so:{work}/wrap.so"}}),
    ("one that is not there is named, and the job goes on", "mpiexec -n 1 -x LD_PRELOAD=/none.so ./preload", 0, r"\Ahello\n\Z", "/none.so"),
]


def lines_stay_whole(bench):
    result = bench.run("mpiexec -n 7 ./lines")
    wanted = sorted(" ".join([str(rank)] * 8) for rank in range(7) for _ in range(20))
    wrong = [] if sorted(result.stdout.splitlines()) == wanted else ["lines are mixed or missing"]
    bench.report("lines of different ranks never interleave", wrong, result.stdout[-2000:])


def without_proc(bench):
    """Where the tests may mount."""
    without = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"]
    if subprocess.run([*without, "true"], capture_output=True).returncode != 0:
        return
    bench.check(("a job needs /proc", shlex.join([*without, str(bench.bin / "mpiexec"), "-n", "2", "./tell"]), 1, None,
                 r"\Ampiexec: /proc/self/exe cannot be read \(.*\); mount /proc\n\Z"))
    bench.check(("mpicc does not", shlex.join([*without, str(bench.bin / "mpicc"), "-c", str(bench.programs / "tell.c"), "-o", "tell.o"]),
                 0, None, None))


def progress_is_shown_on_a_terminal(bench):
    command = shlex.join(bench.command("mpiexec -n 24 ./slow_load"))
    result = bench.run(shlex.join(["script", "-qec", command, "/dev/null"]))
    wrong = [] if re.search(r"mpiexec: \d+ of 24 ranks have started", result.stdout) else ["no progress line"]
    if not result.stdout.endswith("\n\033[K"):
        wrong.append("it is not wiped out")
    bench.report("a slow start is shown on a terminal", wrong, repr(result.stdout))


def make_finder(bench):
    """A program with a library that only LD_LIBRARY_PATH leads to."""
    (bench.work / "found").mkdir(exist_ok=True)
    subprocess.run([bench.bin / "mpicc", "-shared", "-fPIC", "-x", "c", "-", "-o", bench.work / "found/libfound.so",
                    "-Wl,-soname,libfound.so"], input=b"#include <stdio.h>\nvoid found(void) { puts(\"found\"); }\n", check=True)
    subprocess.run([bench.bin / "mpicc", "-x", "c", "-", "-o", bench.work / "finder", f"-L{bench.work / 'found'}", "-lfound"],
                   input=b"void found(void);\nint main(void) { found(); return 0; }\n", check=True)


def make_preloads(bench):
    """A tool that counts barriers, a library that changes what puts does, and programs that know of neither."""
    for name, source, options in (("tool.so", "preload_tool.c", ["-shared", "-fPIC"]), ("wrap.so", "preload_wrap.c", ["-shared", "-fPIC"]),
                                  ("preload", "preload.c", []), ("preload++", "preload.c", ["-xc++"])):
        subprocess.run([bench.bin / ("mpicxx" if "++" in name else "mpicc"), *options, "-o", bench.work / name, bench.programs / source], check=True)


def early_communication_is_told(bench):
    """A job that waits for ever in a constructor says so; the test ends it then."""
    job = subprocess.Popen(bench.command("mpiexec -n 3 ./early"), cwd=bench.work, text=True, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = job.stderr.readline()
    job.kill()
    job.communicate()
    right = re.fullmatch(r"rank \d is in MPI_Barrier in a constructor of .* communicate after main has begun\n", said)
    bench.report("communication in a constructor is told", [] if right else ["another first line"], said)


def main():
    bench = Bench(sys.argv)
    bench.compile("tell", "leave", "moved", "short_buffer", "exit_outside", "input", "lines", "ring", "slow_load", "many", "tools", "older",
                  "errors", "shortage", "early", "sessions")
    subprocess.run([bench.bin / "mpicc", "-shared", "-fPIC", "-o", bench.work / "exit_plugin.so",
                    bench.programs / "exit_plugin.c"], check=True)
    make_finder(bench)
    make_preloads(bench)
    script = bench.work / "script"
    script.write_text("#!/bin/sh\necho hello\n")
    script.chmod(0o755)
    (bench.work / "trap").mkdir(exist_ok=True)
    for library in ("libc.so.6", "libmpi_abi.so.1", "libhwloc.so.15", "libgcc_s.so.1", "libm.so.6", "libheddle_libc.so"):
        (bench.work / "trap" / library).write_text("")
    rows = []
    for what, line, *rest in ROWS if bench.before_programs else [*ROWS, *PRELOADS]:
        for name, path in (("{work}", bench.work), ("{mpiexec}", bench.bin / "mpiexec")):
            line = line.replace(name, str(path))
            for more in rest[3:]:
                more.update({"env": {key: value.replace(name, str(path)) for key, value in more.get("env", {}).items()}})
        rows.append((what, line, *rest))
    bench.side_by_side(*(functools.partial(bench.check, row) for row in rows))
    bench.check(("a slow start without a terminal is silent", "mpiexec -n 24 ./slow_load", 0, None, None))
    lines_stay_whole(bench)
    progress_is_shown_on_a_terminal(bench)
    early_communication_is_told(bench)
    if not bench.before_programs:  # a sanitizer needs /proc, too, and maps too much for a limit
        without_proc(bench)
        bench.check(("freed datatypes make room for new ones", "mpiexec -n 1 ./shortage", 0, r"\A60 types\n\Z", None))
        bench.check(("and where none were freed there is none", "mpiexec -n 1 ./shortage keep", 134, None, "MPI_Type_indexed"))
    bench.done()


main()
