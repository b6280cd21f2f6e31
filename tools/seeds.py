"""Runs the tests that explore schedules over many seeds (see src/base/test_seeds.h).

Each test gets the seeds in pieces, a process a piece. The first failure, or a seed that does not
end, stops everything and is told with the command that repeats it. Of a seed that does not end all
threads are told: one that is awake lacks a processor, or goes round; if all sleep, but for stand-ins
that look now and then, a wake-up is lost.
"""
import argparse, os, pathlib, queue, shutil, subprocess, sys, threading, time

# name, program in the build folder, which of its tests, settings
TESTS = [
    ("strands", "src/exec/ult/strand_test", "Strand.NoWakeIsLostOrDoubledUnderForcedYields"),
    ("completions", "src/exec/ult/completion_test", "Completion.AnyOfManyIsFoundOnceBy*"),
    ("interrupts", "src/exec/ult/interrupt_test", "Interrupt.LeavesNoWakeUpBehind*"),
    ("alerts", "src/exec/ult/alert_test", "Alert.*ManySeeds"),
    ("moves", "src/exec/ult/move_test", "Move.LosesNoWakeUpInAnySchedule"),
    ("event", "src/exec/ult/event_test", "Event.ACrowdPassesWhateverTheSchedule"),
    ("shared-work", "src/exec/ult/shared_work_test", "SharedWork.IsDoneOnce*"),
    ("away", "src/exec/ult/away_test", "Away.WorksWithForcedYields"),
    ("descriptors", "src/exec/process/waits/descriptor_waits_test", "DescriptorWaits.UltsOfTwoWorkersWaitForEachOther"),
    ("parking-lot", "src/exec/process/locks/parking_lot_test", "ParkingLot.LosesNoWakeUpInAnyScheduleOfManySeeds"),
    ("locks", "src/exec/process/locks/locks_test", "Locks.UltsAndKernelThreadsShareAMutex"),
    ("conditions", "src/exec/process/locks/conditions_test", "Conditions.*InAnyScheduleOfManySeeds"),
    ("threads", "src/exec/process/threads/threads_test",
     "UltThreads.MayBeDetached*:UltThreads.MayDetachThemselvesAtOnce"),
    ("matching", "src/mpi/match/matcher_strands_test", "Matcher.KeepsItsPromises*"),
    ("collector", "src/mpi/lifetime/collector_test",
     "CollectorTest.ThreadsOfARankShareItsCollector:CollectorTest.RandomPrograms*"),
    ("crossed", "tests/posix/posix_ranks_test", "CrossedThreads.*"),
    ("crossed-kernel", "tests/posix/posix_ranks_test", "CrossedThreads.*",
     {"HEDDLE_POSIX_THREADS": "kernel"}),
    ("requests", "tests/p2p/p2p_test", "Storm.EverybodyToEverybodyEveryWayToWait/4"),
    ("eager_ring", "tests/p2p/p2p_test", "EagerRing.*/2"),
    ("collectives", "tests/coll/coll_stress_test", "CollectiveStress.*/4"),
    ("collectives-processes", "tests/coll/coll_stress_test", "CollectiveStress.*/4", {"HEDDLE_TEST_PROCESSES": "each"}),
    ("disagreement", "tests/coll/disagreement_test", "Disagreement.*/4"),
    ("programs", "tests/random/random_program_test", "RandomProgram.GivesWhat*/4"),
    ("programs-move", "tests/random/random_program_test", "RandomProgram.*Move/4"),
    ("programs-3-hosts", "tests/random/random_program_test", "RandomProgram.*/7", {"HEDDLE_TEST_HOSTS": "3"}),
    ("programs-processes", "tests/random/random_program_test", "RandomProgram.GivesWhat*/4", {"HEDDLE_TEST_PROCESSES": "each"}),
    ("programs-mixed", "tests/random/random_program_test", "RandomProgram.GivesWhat*/7", {"HEDDLE_TEST_PROCESSES": "2"}),
    ("messages", "tests/random/random_messages_test", "RandomMessages.ArriveAs*/4"),
    ("messages-move", "tests/random/random_messages_test", "RandomMessages.*Move/4"),
    ("messages-3-hosts", "tests/random/random_messages_test", "RandomMessages.*/7", {"HEDDLE_TEST_HOSTS": "3"}),
    ("messages-processes", "tests/random/random_messages_test", "RandomMessages.ArriveAs*/4", {"HEDDLE_TEST_PROCESSES": "each"}),
    ("neighbors", "tests/random/random_neighbors_test", "RandomNeighbors.*/4"),
    ("neighbors-3-hosts", "tests/random/random_neighbors_test", "RandomNeighbors.*/7", {"HEDDLE_TEST_HOSTS": "3"}),
    ("side-by-side", "tests/random/random_threads_test", "RandomThreads.*/4"),
    ("windows", "tests/random/random_windows_test", "RandomWindows.*RanksHaveDone/4"),
    ("windows-threads", "tests/random/random_windows_test", "RandomWindows.*ThreadsHaveDone/4"),
    ("windows-3-hosts", "tests/random/random_windows_test", "RandomWindows.*sHaveDone/7", {"HEDDLE_TEST_HOSTS": "3"}),
    ("windows-processes", "tests/random/random_windows_test", "RandomWindows.*sHaveDone/4", {"HEDDLE_TEST_PROCESSES": "each"}),
    ("windows-mixed", "tests/random/random_windows_test", "RandomWindows.*sHaveDone/7", {"HEDDLE_TEST_PROCESSES": "2"}),
    ("files", "tests/io/io_test", "RandomFiles.*/5:RandomFiles.*/7"),
    ("files-3-hosts", "tests/io/io_test", "RandomFiles.*/5:RandomFiles.*/7", {"HEDDLE_TEST_HOSTS": "3"}),
    ("files-processes", "tests/io/io_test", "RandomFiles.*/2:RandomFiles.*/3", {"HEDDLE_TEST_PROCESSES": "each"}),
    ("files-mixed", "tests/io/io_test", "RandomFiles.*/5:RandomFiles.*/7", {"HEDDLE_TEST_PROCESSES": "2"}),
    ("side-by-side-2-hosts", "tests/random/random_threads_test", "RandomThreads.*/4", {"HEDDLE_TEST_HOSTS": "2"}),
]


class Stopped(Exception):
    pass


class Progress:
    """One line a test, rewritten on a terminal."""

    def __init__(self):
        self.lock = threading.Lock()
        self.terminal = sys.stdout.isatty()

    def show(self, name, done, count, seconds, last):
        with self.lock:
            text = f"{name:14} {done:6} of {count} seeds {seconds:7.1f} s"
            if self.terminal:
                print("\r" + text, end="\n" if last else "", flush=True)
            elif last:
                print(text, flush=True)


def fields_of(stat):
    """The name, and what follows it in a /proc file `stat`; None if the thread has ended."""
    try:
        name, fields = stat.read_text().rsplit(")", 1)
    except OSError:
        return None
    return name.split("(", 1)[1], fields.split()


def family(pid):
    """The process and those that it has started, and so on."""
    parents = {int(stat.parent.name): int(found[1][1])
               for stat in pathlib.Path("/proc").glob("[0-9]*/stat") if (found := fields_of(stat))}
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def thread_states(pid, looks=20, apart=0.1):
    """For each thread of the process and of those that it has started: in how many looks it did not
    sleep, and the processor time that it had used then; and their stacks, where there is gdb."""
    seen, processes = {}, family(pid)
    for _ in range(looks):
        for process in processes:
            for stat in pathlib.Path(f"/proc/{process}/task").glob("*/stat"):
                if not (found := fields_of(stat)):
                    continue
                name, fields = found
                used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                awake, _ = seen.get((process, stat.parent.name, name), (0, 0))
                seen[process, stat.parent.name, name] = (awake + (fields[0] != "S"), used)
        time.sleep(apart)
    lines = [f"process {process} thread {thread} ({name}): awake in {awake} of {looks} looks, has "
             f"used {used:.2f} s\n" for (process, thread, name), (awake, used) in seen.items()]
    for process in processes if shutil.which("gdb") else []:
        command = ["gdb", "-p", str(process), "-batch", "-ex", "thread apply all backtrace 20"]
        try:
            stacks = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, timeout=120,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        except subprocess.TimeoutExpired:
            stacks = "gdb has not shown its stacks within 120 s\n"
        lines += [f"process {process}\n"] + stacks.splitlines(True)
    return lines


def reader(process, lines):
    for line in process.stdout:
        lines.put(line)
    lines.put(None)


class Run:
    def __init__(self, options):
        self.options = options
        self.stop = threading.Event()
        self.progress = Progress()

    def piece(self, program, tests, settings, first, count, told):
        """Runs seeds first .. first + count - 1; an error is (what, seed, output)."""
        environment = dict(os.environ, HEDDLE_TEST_SEEDS=f"{first}:{count}", **settings)
        process = subprocess.Popen([program, f"--gtest_filter={tests}"], env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines, output, seed = queue.Queue(), [], first
        threading.Thread(target=reader, args=(process, lines), daemon=True).start()
        try:
            while True:
                try:
                    line = lines.get(timeout=self.options.patience)
                except queue.Empty:
                    states = thread_states(process.pid)
                    if lines.empty():
                        return "does not end", seed, output[-60:] + states
                    continue  # it lacked a processor
                if line is None:
                    break
                if line.startswith("seed "):
                    seed = int(line.split()[1])
                    told(seed)
                else:
                    output.append(line)
                if self.stop.is_set():
                    raise Stopped
            if process.wait() != 0:
                return f"fails with status {process.returncode}", seed, output[-60:]
            if "PASSED" not in "".join(output) or "Running 0 tests" in "".join(output):
                return "has no such test", seed, output[-60:]
            return None
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def test(self, name, program, tests, settings={}):
        options = self.options
        path = options.build / program
        start = time.monotonic()

        def told(seed):
            self.progress.show(name, seed - options.first, options.count, time.monotonic() - start, False)

        for first in range(options.first, options.first + options.count, options.piece):
            count = min(options.piece, options.first + options.count - first)
            error = self.piece(path, tests, settings, first, count, told)
            if error is None:
                continue
            self.stop.set()
            what, seed, output = error
            sys.stdout.write("\n" + "".join(output))
            words = "".join(f"{key}={value} " for key, value in settings.items())
            print(f"{name} {what} at seed {seed} (of those from {first} on). To repeat:\n"
                  f"  {words}HEDDLE_TEST_SEEDS={seed}:1 {path} '--gtest_filter={tests}'\n"
                  f"if that passes, with what came before it: HEDDLE_TEST_SEEDS={first}:{seed - first + 1}",
                  flush=True)
            raise Stopped
        self.progress.show(name, options.count, options.count, time.monotonic() - start, True)

    def worker(self, tests, failed):
        while not self.stop.is_set():
            try:
                self.test(*tests.get_nowait())
            except queue.Empty:
                return
            except Stopped:
                failed.append(True)
                return


def main():
    parser = argparse.ArgumentParser(prog="./dev seeds", description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=100, help="how many seeds (default 100)")
    parser.add_argument("--first", type=int, default=1, help="the first one")
    parser.add_argument("--only", metavar="NAME,...", default="", help=", ".join(t[0] for t in TESTS))
    parser.add_argument("--jobs", type=int, default=1, help="tests at a time (default 1)")
    parser.add_argument("--piece", type=int, default=500, help="seeds a process")
    parser.add_argument("--patience", type=float, default=60, help="seconds that a seed may take")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/dev"))
    options = parser.parse_args()
    if options.count < 1 or options.piece < 1 or options.jobs < 1:
        parser.error("the numbers of seeds, seeds a process and tests at a time must be at least 1")
    wanted = options.only.split(",") if options.only else [t[0] for t in TESTS]
    unknown = set(wanted) - {t[0] for t in TESTS}
    if unknown:
        parser.error(f"there is no test {', '.join(sorted(unknown))}")
    tests = queue.Queue()
    for test in TESTS:
        if test[0] in wanted:
            tests.put(test)
    run, failed = Run(options), []
    threads = [threading.Thread(target=run.worker, args=(tests, failed)) for _ in range(options.jobs)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:
        run.stop.set()
        return 130
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
