"""Files under mpiexec where something fails: a full disk, one that may only be read, processes that are killed.

HEDDLE_TEST_KILLS=FIRST:COUNT chooses the seeds of the kills.
"""
import os
import random
import shlex
import signal
import subprocess
import sys
import uuid

from deaths import await_end, files_in_folders, have_own_folders
from table import Bench

MODES = ("-n 4", "--ranks-as processes -n 4", "--processes 2 -n 4")
WITHOUT_THREADS = MODES[1:]
BLOCK, BLOCKS = 500, 400  # as in files.c
LONGEST = 60


def mounted(bench, options, line):
    """A command line that runs with a small file system of its own in disk/, where there is a file `there`."""
    disk = bench.work / "disk"
    disk.mkdir(exist_ok=True)
    script = (f"mount -t tmpfs -o size=2m none {shlex.quote(str(disk))} && echo x > disk/there && "
              f"mount -o remount,{options} {shlex.quote(str(disk))} && exec {shlex.join(bench.command(line))}")
    return f"unshare -rm sh -c {shlex.quote(script)}"


def why_not_mounted(bench):
    """Empty: it can be done."""
    line = mounted(bench, "rw", "true")
    return bench.run(line).stderr.strip() if bench.run(line).returncode else ""


def rows_of_disks(bench):
    full = (r"\A(write: no space: .*could not write to \"disk/f\": No space left on device.*\n){4}"
            r"counted\n(less: success: \n){4}\Z")
    for mode in MODES:
        yield (f"a full disk, {mode}", mounted(bench, "rw", f"mpiexec {mode} ./files full disk/f"), 0, full, None)
    for mode in WITHOUT_THREADS:
        for more in ("", " cb_buffer_size 8192 cb_nodes 2 cb_block_size 1"):
            yield (f"a full disk, and data are exchanged, {mode}{more}",
                   mounted(bench, "rw", f"mpiexec {mode} ./files full disk/f romio_cb_write enable{more}"), 0, full, None)
    for mode in MODES:
        yield (f"a disk that may only be read, {mode}", mounted(bench, "ro", f"mpiexec {mode} ./files readonly disk/there disk/new"), 0,
               r"\A(open: read only: .*could not open \"disk/there\": Read-only file system.*\n){4}"
               r"(create: read only: .*could not open \"disk/new\": Read-only file system.*\n){4}"
               r"(delete: read only: .*could not delete \"disk/there\": Read-only file system.*\n){4}"
               r"(read: success: \n){4}\Z", None)


def rows_of_deaths():
    # With one process that is mpiexec's own: nothing can tell.
    for mode, dead in zip(MODES, (None, "rank 2", "the process of ranks 2 to 3")):
        told = dead and rf"^mpiexec: {dead} was killed by signal 9 \(Killed\)"
        yield (f"a rank is killed between collective writes, {mode}", f"mpiexec {mode} ./files dies f 2", 137, r"\A\Z", told,
               {"timeout": LONGEST})


def is_whole(path, steps, ranks):
    """Each rank has written BLOCKS blocks in each step, all with the step's number."""
    data = path.read_bytes()
    length = BLOCK * BLOCKS * ranks
    return all(data[step * length:(step + 1) * length] == bytes([1 + step % 100]) * length for step in range(steps))


def kill(bench, seed, own_folders):
    """What the ranks say is on the disk is there after kill -9 of all."""
    choose = random.Random(seed)
    mode = MODES[seed % len(MODES)]
    mark = uuid.uuid4().hex.encode()
    before = files_in_folders() if own_folders else set()
    path = bench.work / "f"
    path.unlink(missing_ok=True)
    job = subprocess.Popen(bench.command(f"mpiexec {mode} ./files synced f"), cwd=bench.work, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env={**os.environ, "HEDDLE_TEST_MARK": mark.decode()})
    told = 0
    for _ in range(choose.randint(1, 12)):
        told = int(job.stdout.readline() or 0)
    job.send_signal(signal.SIGKILL)
    rest, errors = job.communicate(timeout=LONGEST)
    told = max([told, *map(int, rest.split("\n")[:-1])])
    wrong = [f"process {each} is left" for each in await_end(mark)]
    if told == 0 or not is_whole(path, told, 4):
        wrong.append(f"{told} steps were told, but are not there")
    if own_folders:
        wrong += [f"{file} is left" for file in files_in_folders() - before]
    path.unlink()
    bench.report(f"seed {seed}: {told} synced steps are there after kill -9, {mode}", wrong, errors)


def main():
    own_folders = have_own_folders()
    bench = Bench(sys.argv)
    bench.compile("files")
    reason = why_not_mounted(bench)
    if reason:
        print(f"skipped: a full disk, and one that may only be read: {reason}")
    for row in [] if reason else rows_of_disks(bench):
        bench.check(row)
    for row in rows_of_deaths():
        bench.check(row)
    first, count = map(int, os.environ.get("HEDDLE_TEST_KILLS", "0:6").split(":"))
    for seed in range(first, first + count):
        kill(bench, seed, own_folders)
    bench.done()


if __name__ == "__main__":
    main()
