"""wire.py A IF_A B IF_B MILLISECONDS PERCENT: a wire between the interface IF_A of network namespace A and IF_B of B.

Each packet arrives so many milliseconds later, and so many percent of them never do: what netem does, for kernels without
it. Both interfaces are TAPs, which exist as long as this process. It says "ready" when they do; SIGTERM ends it, and
then it says how many packets came and how many were lost. For root only.
"""
import collections
import ctypes
import fcntl
import os
import random
import select
import signal
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
LONGEST_PACKET = 65536


def open_tap(space, name):
    """A descriptor of the new interface `name` in that namespace; this process stays where it is."""
    libc = ctypes.CDLL(None, use_errno=True)

    def enter(descriptor):
        if libc.setns(descriptor, 0) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    with open("/proc/self/ns/net") as home, open(f"/run/netns/{space}") as there:
        enter(there.fileno())
        try:
            tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
        finally:
            enter(home.fileno())
    return tap


class Wire:
    def __init__(self, ends, delay, loss):
        self.ends = ends
        self.delay = delay
        self.loss = loss
        self.chance = random.Random(7)
        self.under_way = collections.deque()  # (when it arrives, where, packet), the first to arrive first
        self.came = self.lost = 0

    def take(self, end, other):
        """What has been put in at `end`."""
        while True:
            try:
                packet = os.read(end, LONGEST_PACKET)
            except BlockingIOError:
                return
            self.came += 1
            if self.chance.random() < self.loss:
                self.lost += 1
            else:
                self.under_way.append((time.monotonic() + self.delay, other, packet))

    def deliver(self):
        """Returns after how many seconds the next one arrives, or None."""
        while self.under_way:
            due, end, packet = self.under_way[0]
            wait = due - time.monotonic()
            if wait > 0:
                return wait
            self.under_way.popleft()
            try:
                os.write(end, packet)
            except OSError:  # the interface is down
                self.lost += 1
        return None

    def run(self):
        a, b = self.ends
        while True:
            ready, _, _ = select.select(self.ends, [], [], self.deliver())
            for end in ready:
                self.take(end, b if end == a else a)


def main():
    space_a, name_a, space_b, name_b, milliseconds, percent = sys.argv[1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    ends = open_tap(space_a, name_a), open_tap(space_b, name_b)
    wire = Wire(ends, float(milliseconds) / 1000, float(percent) / 100)
    print("ready", flush=True)
    try:
        wire.run()
    finally:
        print(f"{wire.came} packets, {wire.lost} lost", flush=True)


main()
