"""Nodes of a test: network namespaces with their own host names on a bridge, which nothing leads out of.

    node 10.77.0.1 ── veth ──┐
    node 10.77.0.2 ── veth ──┼── bridge, in a namespace of its own
    …                        ┘

A node's name is its address, so no table of hosts is needed; with `named` it is node1, and agent.sh lays a table of hosts over the one of
the machine. Where launchers would call ssh they call agent.sh.
In place of veth pairs there can be wires that delay and lose packets (wire.py).
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
FOLDER = pathlib.Path(__file__).resolve().parent
AGENT = FOLDER / "agent.sh"


class Nodes:
    """A context: the namespaces exist inside it, and nothing of them afterwards.

    `wire` is (milliseconds, percent): how long each node's packets take to and from the bridge, and how many are lost."""

    def __init__(self, count, wire=None, named=False):
        self.wire = wire
        self.wires = []  # processes
        self.addresses = [f"10.77.0.{i}" for i in range(1, count + 1)]
        self.names = [f"node{i}" for i in range(1, count + 1)] if named else self.addresses
        self.table = None  # of hosts
        self.prefix = f"heddle{os.getpid()}-"
        self.bridge = self.prefix + "bridge"

    def __enter__(self):
        if os.geteuid() != 0 or not shutil.which("ip"):
            print("skipped: nodes are network namespaces, for which one must be root and have the command ip")
            sys.exit(SKIPPED)
        if self.wire and not os.access("/dev/net/tun", os.R_OK | os.W_OK):
            print("skipped: a wire that delays packets needs /dev/net/tun")
            sys.exit(SKIPPED)
        try:
            self.make()
        except subprocess.CalledProcessError as error:
            self.remove()
            print(f"skipped: no network namespaces here ({' '.join(error.cmd)}: {error.stderr.strip()})")
            sys.exit(SKIPPED)
        return self

    def __exit__(self, *_):
        self.remove()

    def make(self):
        def ip(*words):
            subprocess.run(["ip", *words], check=True, capture_output=True, text=True)

        if self.names != self.addresses:
            lines = [f"{address} {name}\n" for address, name in zip(self.addresses, self.names)]
            self.table = tempfile.NamedTemporaryFile("w", prefix="heddle-hosts-")
            self.table.write("127.0.0.1 localhost\n" + "".join(lines))
            self.table.flush()
        ip("netns", "add", self.bridge)
        ip("-n", self.bridge, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.bridge, "link", "set", "bridge", "up")
        for i, name in enumerate(self.names):
            space = self.prefix + name
            ip("netns", "add", space)
            ip("-n", space, "link", "set", "lo", "up")
            if self.wire:
                self.lay_wire(space, f"to{i}")
            else:
                ip("-n", self.bridge, "link", "add", f"to{i}", "type", "veth", "peer", "name", "net", "netns", space)
            ip("-n", self.bridge, "link", "set", f"to{i}", "master", "bridge", "up")
            ip("-n", space, "addr", "add", f"{self.addresses[i]}/24", "dev", "net")
            ip("-n", space, "link", "set", "net", "up")

    def lay_wire(self, space, name):
        words = [sys.executable, FOLDER / "wire.py", space, "net", self.bridge, name, *map(str, self.wire)]
        wire = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.wires.append(wire)
        if wire.stdout.readline() != "ready\n":
            raise subprocess.CalledProcessError(1, list(map(str, words)), stderr="it is not ready")

    def packets(self):
        """Ends the wires. Returns how many packets came to them and how many of those were lost."""
        came = lost = 0
        for wire in self.wires:
            wire.terminate()
            words = wire.communicate()[0].split()
            came, lost = came + int(words[0]), lost + int(words[2])
        self.wires = []
        return came, lost

    def processes(self, name):
        found = subprocess.run(["ip", "netns", "pids", self.prefix + name], capture_output=True, text=True)
        return [int(word) for word in found.stdout.split()]

    @staticmethod
    def name_of(process):
        try:
            return pathlib.Path(f"/proc/{process}/comm").read_text().strip()
        except OSError:  # it has ended
            return ""

    def wait_for_end(self, seconds=30, of=None):
        """Returns what still runs on the nodes then; `of`: of processes with these names."""
        end = time.monotonic() + seconds
        while True:
            left = [process for name in self.names for process in self.processes(name)
                    if of is None or self.name_of(process) in of]
            if not left or time.monotonic() > end:
                return left
            time.sleep(0.02)

    def kill_all(self):
        for name in self.names:
            for process in self.processes(name):
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def remove(self):
        for name in (*self.names, "bridge"):
            for process in self.processes(name):
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            subprocess.run(["ip", "netns", "del", self.prefix + name], capture_output=True)
        if self.table:
            self.table.close()
        for wire in self.wires:
            wire.kill()
            wire.communicate()

    def cut_off(self, name):
        subprocess.run(["ip", "-n", self.prefix + name, "link", "set", "net", "down"], check=True)

    def join(self, name):
        subprocess.run(["ip", "-n", self.prefix + name, "link", "set", "net", "up"], check=True)

    def command(self, name, words):
        """Runs on that node. The launcher there finds the other nodes by the agent."""
        return [str(AGENT), name, *words]

    def environment(self):
        return {"HEDDLE_TEST_NODES": self.prefix, "HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": str(AGENT),
                "PRTE_MCA_plm_ssh_agent": str(AGENT), **({"HEDDLE_TEST_TABLE": self.table.name} if self.table else {})}
