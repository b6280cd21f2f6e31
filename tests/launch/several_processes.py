"""Jobs of several processes that carry many ranks each, as threads, on one node (--processes)."""
import os
import sys

from ranks_as_processes import BY_NETWORK, blocked_ranks_use_no_processor, ends_by_signals, stop_and_go_on
from table import Bench

IN = "mpiexec --processes"
# Under a sanitizer there are no time slices, and threads that compute do not give their worker away.
MAY_COMPUTE = not os.environ.get("HEDDLE_TEST_PRELOAD")

ROWS = [
    *[(f"a ring of {ranks} in {processes}", f"{IN} {processes} -n {ranks} ./ring", 0, rf"\Asum {ranks * (ranks - 1) // 2}\n\Z", None)
      for processes, ranks in ((1, 4), (2, 2), (2, 7), (3, 16))],
    *[(f"messages, collectives and started ones of {ranks} in {processes}, {workers} workers each",
       f"{IN} {processes} --workers {workers} -n {ranks} ./exchange", 0, r"\Aok\n\Z", None)
      for processes, ranks, workers in ((2, 8, 1), (2, 8, 2), (3, 7, 1), (5, 16, 2))],
    *[(f"sessions without MPI_Init: {command}", command, 0, r"\Aok\n\Z", None, row_options)
      for row_options in ({}, BY_NETWORK) for command in (f"{IN} 2 -n 5 ./sessions", f"{IN} 2 -n 5 ./sessions late",
                                                          f"{IN} 2 -n 5 ./sessions after")],
    ("all of it by the network", f"{IN} 2 --workers 2 -n 4 ./exchange", 0, r"\Aok\n\Z", None, BY_NETWORK),
    *[(f"a barrier takes the messages of all of {workers} channels {way}", f"{IN} 2 --workers {workers} -n 2 ./progress {(workers - 1) * MAY_COMPUTE}", 0,
       r"\A0 wrong\n\Z", None, {"env": env}) for workers in (1, 2, 4) for way, env in (("of the memory", {}), ("of the network", BY_NETWORK["env"]))],
    ("all are on one node", f"{IN} 2 -n 5 ./nodes", 0, r"\Anodes 1, sum 10\n\Z", None),
    ("several programs have one world", f"{IN} 2 ./nodes : -n 2 ./nodes", 0, r"\Anodes 1, sum 3\n\Z", None),
    ("no more processes than ranks", f"{IN} 9 -n 2 ./ring", 0, r"\Asum 1\n\Z", None),
    ("ranks of one process share it", f"{IN} 2 -n 4 ./pids", 0, r"\A(?:(\d+)\n)\1\n(?!\1)(\d+)\n\2\n\Z", None),
    ("labels", f"{IN} 2 -l -n 4 ./last_words _exit", 3, r"(?=(?s:.*)^\[0\] rank 0 is here$)(?=(?s:.*)^\[1\] rank 1 is here$)", "rank 1"),
    ("input goes to rank 0", f"{IN} 2 -n 4 ./copy_input", 0, r"\Aline\n\Z", None, {"stdin": "line\n"}),
    ("the working directory and variables are the ranks'", f"{IN} 2 -wdir / -genv A a -n 2 {{work}}/where : -wdir /usr {{work}}/where", 0,
     r"\A/ a\n/ a\n/usr a\n\Z", None),
    ("the status of a rank is the job's", f"{IN} 2 -n 4 ./leave return 3 17", 17, None, ""),
    ("MPI_Abort ends all", f"{IN} 2 -n 4 ./leave abort 2 17", 17, None, r"\Arank 2: MPI_Abort\(.*, 17\)\n\Z"),
    ("a crash ends all and is told", f"{IN} 2 -n 4 ./leave segv 3", 139, None, r"^rank 3 crashed",
     {"env": {"ASAN_OPTIONS": "detect_leaks=0:handle_segv=0"}}),
    ("sessions may be left open at the end", f"{IN} 2 -n 5 ./sessions open", 0, r"\A\Z", r"\A\Z"),
    ("a rank that leaves early ends all", f"{IN} 2 -n 4 ./leave early 1 3", 3, None, r"\Arank 1: .*status 3 without calling MPI_Finalize.*\n\Z"),
    ("with 0, too, where others finalize", f"{IN} 2 -n 4 ./leave half 1", 1, None, r"\A.*status 0 without calling MPI_Finalize.*\n\Z"),
    ("but not where all do so", f"{IN} 2 -n 4 ./leave never 2", 0, r"\Alast\n\Z", None),
    ("a rank that ends before MPI_Init ends all", f"{IN} 2 -n 3 ./nodes : ./leave outside 0 0", 1, None, r"\A.*before it called MPI_Init.*\n\Z"),
    ("they need ranks that are threads", f"{IN} 2 -n 4 true", 2, None, "--processes is for ranks that are threads"),
]


def main():
    bench = Bench(sys.argv)
    bench.compile("ring", "nodes", "leave", "exchange", "progress", "wait", "pids", "last_words", "copy_input", "where", "sessions")
    for shows, line, *rest in ROWS:
        bench.check((shows, line.replace("{work}", str(bench.work)), *rest))
    how = f"{IN} 2 --no-deadlock-check"  # the ranks of ./wait wait for ever
    ends_by_signals(bench, how, ["./wait"], sentences=1)
    stop_and_go_on(bench, how)
    blocked_ranks_use_no_processor(bench, how)
    bench.done()


main()
