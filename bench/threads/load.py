"""How much of our cores others took during a run: other programs, and the hypervisor (steal).

A load average says neither: it has the run's own ranks in it and a memory of minutes.
"""
import os
import pathlib
import resource
import time

DISTURBED = 0.05  # of the cores' time that others had during a run: it should be done again

# Columns of a cpu line in /proc/stat; idle and iowait are the rest, guest is part of user.
BUSY = {"user": 0, "nice": 1, "system": 2, "irq": 5, "softirq": 6, "steal": 7}


def cores():
    """The cores that this process, and so a job, may use."""
    return os.sched_getaffinity(0)


def busy_seconds(text, among):
    """Of the cores `among`, by the text of /proc/stat."""
    ticks = 0
    for line in text.splitlines():
        name, *values = line.split() or [""]
        if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in among:
            ticks += sum(int(values[column]) for column in BUSY.values() if column < len(values))
    return ticks / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """Processor time of this process and of all children that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Watch:
    """Begins when it is made."""

    def __init__(self, stat=pathlib.Path("/proc/stat")):
        self.stat = stat
        self.begin = self.now()

    def now(self):
        try:
            return time.monotonic(), busy_seconds(self.stat.read_text(), cores()), own_seconds()
        except OSError:
            return None

    def others(self):
        """The share, 0 to 1, of our cores' time that others have had so far; None where unknown."""
        end = self.now()
        if not end or not self.begin:
            return None
        wall, busy, own = (after - before for after, before in zip(end, self.begin))
        return min(max((busy - own) / (wall * len(cores())), 0), 1) if wall > 0 else None
