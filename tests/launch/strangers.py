"""Jobs whose open ports strangers find: they say random things there, begin to greet, knock, hold connections or flood. Each job is right, and
strangers cost it no more than src/net/door/door.h says. strangers.py BIN FOLDER [SECONDS]: an hour is a thorough search."""
import os
import pathlib
import random
import socket
import struct
import sys
import threading
import time

from table import Bench

BY_NETWORK = {"HEDDLE_NETWORK": "everywhere"}
RANKS = 3
MOST_DESCRIPTORS = 600  # the places of two doors, and what a rank has anyway
MOST_KB = 400_000
MAGIC = 0x326F6C6C65686800  # Hello::kMagic of src/net/door/greeting.h


def ranks():
    """The processes of the job: `./numbered` in this test's folder."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if (folder.name.isdigit() and (folder / "cmdline").read_bytes().startswith(b"./numbered\0")
                    and os.readlink(folder / "cwd") == str(pathlib.Path(sys.argv[2]).resolve())):
                found.append(folder)
        except OSError:
            pass  # it has ended
    return found


def sockets_of(process):
    for descriptor in (process / "fd").iterdir():
        try:
            name = os.readlink(descriptor)
        except OSError:
            continue
        if name.startswith("socket:["):
            yield name[8:-1]


def open_ports():
    """Those that the job listens at."""
    inodes = set()
    for process in ranks():
        try:
            inodes.update(sockets_of(process))
        except OSError:
            pass
    ports = set()
    for table in ("tcp", "tcp6"):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                ports.add(int(words[1].split(":")[1], 16))
    return ports


def hello(rng):
    node = bytes(rng.randrange(256) for _ in range(64)) if rng.random() < 0.3 else b"stranger".ljust(64, b"\0")
    return struct.pack("<QiiiiQQ", MAGIC, rng.randrange(-1, RANKS + 1), rng.randrange(-1, RANKS + 1), rng.randrange(5), 0,
                       rng.getrandbits(64), rng.getrandbits(64)) + node


def words_of(rng):
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randbytes(rng.randrange(1, 2000))
    if kind == 1:
        return hello(rng)[:rng.randrange(1, 104)]
    if kind == 2:
        return hello(rng) + rng.randbytes(rng.randrange(200))
    if kind == 3:
        changed = bytearray(hello(rng))
        for _ in range(rng.randrange(1, 4)):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed)
    return b""


class Stranger(threading.Thread):
    def __init__(self, seed, is_over):
        super().__init__()
        self.rng, self.is_over, self.held = random.Random(seed), is_over, []
        self.said = 0

    def run(self):
        ports = []
        while not self.is_over.is_set():
            if not ports or self.rng.random() < 0.01:
                ports = sorted(open_ports())
            if not ports:
                time.sleep(0.005)
                continue
            self.come(self.rng.choice(ports))
            if len(self.held) > 300:
                self.let_go()
        self.let_go()

    def come(self, port):
        made = socket.socket()
        made.settimeout(0.2)
        try:
            made.connect(("127.0.0.1", port))
            words = words_of(self.rng)
            for at in range(0, len(words), 64):
                made.send(words[at:at + 64])
            self.said += 1
        except OSError:
            made.close()
            return
        end = self.rng.randrange(3)
        if end == 0:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
        if end < 2:
            made.close()
        else:
            self.held.append(made)

    def let_go(self):
        for each in self.held:
            each.close()
        self.held = []


class Observer(threading.Thread):
    """How much the ranks have had at most."""

    def __init__(self, is_over):
        super().__init__()
        self.is_over, self.descriptors, self.kb = is_over, 0, 0

    def run(self):
        while not self.is_over.wait(0.02):
            for process in ranks():
                try:
                    self.descriptors = max(self.descriptors, len(list((process / "fd").iterdir())))
                    status = (process / "status").read_text()
                except OSError:
                    continue
                resident = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")]
                self.kb = max([self.kb, *map(int, resident)])


def main():
    bench = Bench(sys.argv)
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 15
    seed = int(os.environ.get("HEDDLE_TEST_SEED", time.time_ns() % 1_000_000))
    print(f"seed {seed}")
    bench.compile("numbered")
    is_over = threading.Event()
    strangers = [Stranger(seed + i, is_over) for i in range(2)]
    observer = Observer(is_over)
    for each in (*strangers, observer):
        each.start()
    end = time.monotonic() + seconds
    jobs = 0
    while time.monotonic() < end and not bench.failures:
        jobs += 1
        bench.check((f"job {jobs}", f"mpiexec --ranks-as processes -n {RANKS} ./numbered", 0, r"\Aok\n\Z", None, {"env": BY_NETWORK}))
    is_over.set()
    for each in (*strangers, observer):
        each.join()
    said = sum(each.said for each in strangers)
    print(f"  {said} connections of strangers; a rank had {observer.descriptors} descriptors and {observer.kb} kB at most")
    wrong = [] if said > 0 else ["no stranger has found a port"]
    if observer.descriptors > MOST_DESCRIPTORS:
        wrong.append(f"{observer.descriptors} descriptors")
    if observer.kb > MOST_KB:
        wrong.append(f"{observer.kb} kB")
    bench.report("strangers are bounded", wrong)
    bench.done()


if __name__ == "__main__":
    main()
