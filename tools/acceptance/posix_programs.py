"""Which of the Open POSIX test suite's programs are run, and what is known of them."""
import re

# Programs about aio_* and lio_listio end as unsupported in processes, too: they ask for the POSIX of 2001 by its number, and libc has a later one.
FOLDERS = re.compile(r"(?!aio_|lio_).*")
# sigaction has each program once for each signal.
SIGACTION = re.compile(r"\d+-(1|12)\.c")
SMALL = 8  # one in so many is run with --small

# Programs with such words run as one rank: they make names from getpid(), which is the process's, and so the ranks'.
ONE_RANK = re.compile(r"(sem|shm|mq)_open|pts_\w+%d")

# Words of programs that are left out, and why.
WORDS = {
    r"clock_settime|settimeofday": "sets the machine's clock",
    r"SCHED_FIFO|SCHED_RR|setschedp|sched_setparam": "gives itself a priority over all that the machine does",
    r"set(e|r)?uid": "gives away its process's rights, which ranks share",
}
# Programs that are left out, and why: most of them would wait for ever.
LEFT_OUT = {
    "a signal for a rank comes to its main strand, not to another thread that does not block it (decision 44)":
        "pthread_barrier_wait/3-2 pthread_cancel/5-2 pthread_cond_broadcast/4-2 pthread_cond_signal/4-2 "
        "pthread_cond_timedwait/4-3 pthread_cond_wait/4-1 pthread_equal/2-1 pthread_getschedparam/4-1 pthread_kill/8-1 pthread_mutex_trylock/4-3 pthread_once/6-1 "
        "pthread_cond_init/4-2 pthread_mutex_init/5-3 pthread_mutex_lock/3-1 sigpause/2-1 sigpause/3-1",
    "a handler is to interrupt a thread that spins for a lock, where a strand cannot be interrupted (decision 44)":
        "pthread_spin_lock/1-1",
    "cancellation ends no wait for a lock, also of the asynchronous type (decision 35)":
        "pthread_mutex_init/1-2 pthread_mutex_init/3-2",
    "uses the id of a thread that has been joined or has ended detached, which POSIX leaves undefined":
        "pthread_cancel/5-1 pthread_create/2-1 pthread_detach/1-2 pthread_detach/4-2 pthread_join/6-2",
    "signals for real time are not queued (decision 44)": "sigwaitinfo/7-1 sigwaitinfo/8-1",
}
# Programs that pass in processes and not in ranks, and why.
DIFFERENT = {
    "libc puts thread-local variables, and its reserve for those of ranks, into a stack that the program gives: 256 KiB are too few":
        "pthread_attr_setstack/1-1 pthread_attr_setstack/2-1 pthread_attr_setstack/4-1 pthread_create/1-4 pthread_create/1-5 "
        "pthread_create/14-1 pthread_create/15-1 pthread_detach/2-2 pthread_detach/4-3 pthread_exit/1-2 pthread_exit/2-2 pthread_exit/3-2 pthread_exit/4-1 "
        "pthread_exit/5-1 pthread_exit/6-1 pthread_exit/6-2 pthread_join/1-2 pthread_join/4-1 pthread_join/6-3",
    "a thread's stack is larger than asked for, and pthread_getattr_np says so": "pthread_attr_setstacksize/2-1",
    "a signal for a rank comes to its main strand, not to another thread (decision 44)":
        "mq_timedsend/12-1 pthread_kill/1-2 pthread_rwlock_rdlock/4-1 pthread_rwlock_timedrdlock/6-1 pthread_rwlock_timedrdlock/6-2 "
        "pthread_rwlock_timedwrlock/6-1 pthread_rwlock_timedwrlock/6-2 pthread_rwlock_wrlock/2-1 sigpause/1-2 sigwait/6-2",
    "signals are pending for a rank, not for its threads (decision 44)": "pthread_create/8-1 pthread_create/8-2",
    "a signal that the kernel sends to the process comes to its ranks by a thread of ours, a moment later (decision 44)":
        "killpg/1-1 mq_notify/4-1",
    "signals for real time are not queued (decision 44)": "sigaction/29-1 sigqueue/4-1 sigqueue/8-1 sigwait/2-1",
    "cancellation ends no wait for a lock, also of the asynchronous type (decision 35)": "pthread_setcanceltype/1-1",
    "exec would replace all ranks of the job, and is refused (decision 42)": "timer_create/9-1",
    "a read-write lock keeps no sure name of its writer, so a writer that waits for itself is told by the proof of deadlock (decision 108)": "pthread_rwlock_wrlock/3-1",
    "SIGCHLD's SA_NOCLDWAIT and SA_NOCLDSTOP are the process's, which has the children of all ranks (decision 44)":
        "sigaction/9-1 sigaction/21-1",
}


def by_program(reasons):
    return {name: why for why, names in reasons.items() for name in names.split()}


PROGRAMS = by_program(LEFT_OUT)
EXPECTED = by_program(DIFFERENT)


def name_of(source):
    """What a program is called: FOLDER/NUMBER-NUMBER."""
    return f"{source.parent.name}/{source.stem}"


def chosen(interfaces):
    """Sources of the programs that are run, and how many are left out for each reason."""
    sources, left_out = [], {}
    for source in sorted(interfaces.glob("*/[0-9]*-[0-9]*.c")):
        if not FOLDERS.fullmatch(source.parent.name) or source.stem.endswith("buildonly"):
            continue
        if source.parent.name == "sigaction" and not SIGACTION.fullmatch(source.name):
            continue
        text = source.read_text(errors="replace")
        reasons = [why for words, why in WORDS.items() if re.search(words, text)]
        reasons += [PROGRAMS[name_of(source)]] if name_of(source) in PROGRAMS else []
        if reasons:
            left_out[reasons[0]] = left_out.get(reasons[0], 0) + 1
        else:
            sources.append(source)
    return sources, left_out
