"""The processor's counters of cache misses, by perf, where the machine shows any."""
import subprocess

# L2 misses by Intel's name and AMD's; else those of the last level.
EVENTS = ("l2_rqsts.miss", "l2_cache_req_stat.ic_dc_miss_in_l2", "cache-misses")
WHY_NOT = "this machine shows no counters of cache misses (perf)"


def command(event):
    """The words before a program that has its events counted; perf prints them after the program's own output."""
    return ("perf", "stat", "-x", ",", "-e", f"{event},duration_time")


def counted(text, event):
    """How often the event happened, and in how many seconds; ValueError if perf has not counted it."""
    found = {}
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) > 3 and fields[2] in (event, "duration_time"):
            found[fields[2]] = float(fields[0])  # '<not counted>' is no number
    if len(found) != 2:
        raise ValueError(f"is not told by perf how often '{event}' happened")
    return found[event], found["duration_time"] / 1e9


def usable_event():
    """The first event that can be counted here, or None."""
    for event in EVENTS:
        try:
            done = subprocess.run([*command(event), "true"], text=True, capture_output=True)
            if done.returncode == 0 and counted(done.stderr, event)[0] >= 0:
                return event
        except (OSError, ValueError):
            continue
    return None
