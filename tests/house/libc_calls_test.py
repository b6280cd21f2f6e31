"""spec/libc.calls, libc.shared, libc.same, libc.callbacks and system.calls are complete: against what the libraries export, the sources, all
symbols of libc and its kin, its headers, all system calls, and two lists from outside.

    tests/house/libc_calls_test.py FOLDER-OF-THE-BUILT-LIBRARIES
"""
import fnmatch
import gzip
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings"))
import libc_calls

# Files of exec/process that call dlsym, all of them before main.
LOOKERS = {"libc.h", "aligned_exports.cpp", "jump_exports.cpp", "openmp.cpp", "string_code.cpp"}
# libc and its kin. Some are empty in a libc of today.
OF_LIBC = ("libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libresolv.so.2", "libpthread.so.0", "libutil.so.1", "libanl.so.1")
# Functions with an event among their parameters that are written by hand.
WITH_BODIES = {"timer_create", "lio_listio", "lio_listio64"}
OURS = ("MPI_", "PMPI_", "MPIX_", "heddle_")
# Of libc's, those that may declare a function with a function among its parameters.
HEADERS = ("aio argp argz dirent dlfcn err error execinfo fcntl fnmatch fts ftw glob iconv link malloc mcheck mqueue netdb obstack printf pthread "
           "pty resolv sched search semaphore setjmp signal spawn stdio stdio_ext stdlib string sys/epoll sys/mman sys/socket sys/time sys/timerfd "
           "sys/wait threads time ucontext unistd wchar wordexp")
MANUAL = pathlib.Path("/usr/share/man/man3")  # of Debian's manpages-dev

# Calls whose state is the process's, by what they change or read there. Kept by hand, from POSIX and the manual pages.
OF_THE_PROCESS = {
    "files": "chdir fchdir umask chroot open creat openat close dup dup2 dup3 fcntl flock lockf pipe pipe2 socket socketpair "
             "accept accept4 eventfd epoll_create epoll_create1 inotify_init timerfd_create signalfd memfd_create mkstemp "
             "opendir fdopendir close_range closefrom shm_open read write isatty ttyname",
    "end": "exit _exit _Exit quick_exit on_exit wait wait3 wait4 waitpid waitid fork vfork _Fork execv execve execvp execvpe "
           "execl execle execlp execveat fexecve posix_spawn posix_spawnp system popen pclose daemon __register_atfork pthread_exit",
    "signals": "signal sigaction sigprocmask sigpending sigsuspend sigwait sigwaitinfo sigtimedwait sigaltstack sigqueue kill killpg "
               "raise pause alarm ualarm setitimer getitimer timer_create timer_settime timer_gettime timer_delete sigset sighold "
               "sigrelse sigignore sigpause sigblock sigsetmask sigvec siginterrupt",
    "limits and identity": "setrlimit getrlimit prlimit nice getpriority setpriority setuid seteuid setreuid setresuid setgid setegid "
                           "setregid setresgid setgroups initgroups setsid getsid setpgid getpgid setpgrp getpgrp tcsetpgrp "
                           "getpid getppid gettid personality prctl ptrace unshare setns sched_setaffinity sched_getaffinity "
                           "sched_setscheduler sched_setparam",
    "time": "clock times getrusage clock_gettime sleep usleep nanosleep clock_nanosleep sched_yield select poll tzset localtime "
            "localtime_r mktime strftime",
    "memory": "mmap munmap mprotect brk sbrk mlockall munlockall mallopt malloc_trim malloc_stats shmat shmdt dlopen dlclose",
    "text": "getenv setenv unsetenv putenv clearenv environ setlocale localeconv textdomain bindtextdomain bind_textdomain_codeset "
            "openlog syslog vsyslog closelog setlogmask register_printf_function register_printf_specifier "
            "register_printf_modifier stdin stdout stderr printf puts scanf perror fflush fopen freopen",
    "names and variables": "program_invocation_name getauxval getopt optind lgamma lgammaf lgammal rand srand random srandom "
                           "strerror strsignal inet_ntoa ctermid sethostname acct",
}


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], text=True, capture_output=True, check=True).stdout
    names = {line.split()[2].partition("@")[0] for line in lines.splitlines()}
    return {name for name in names if not name.startswith(OURS)}


def symbols_of(library):
    """What a program that is linked today gets from it: the default version of each name."""
    path = subprocess.run(["cc", f"-print-file-name={library}"], text=True, capture_output=True, check=True).stdout.strip()
    if "/" not in path:
        return set()
    lines = subprocess.run(["nm", "-D", "--defined-only", path], text=True, capture_output=True, check=True).stdout.splitlines()
    kinds = ((line.split()[1], *line.split()[2].partition("@@")) for line in lines)
    return {name for kind, name, default, version in kinds if default and kind != "A" and version != "GLIBC_PRIVATE"}


def places(name, library, patterns):
    """The patterns that have the name; one may begin with its library."""
    return {pattern for pattern in patterns
            if pattern.partition(":")[0] in (pattern, library) and fnmatch.fnmatchcase(name, pattern.rpartition(":")[2])}


def system_calls_of_kernel():
    text = subprocess.run(["cc", "-E", "-dM", "-include", "asm/unistd.h", "-xc", "/dev/null"], text=True, capture_output=True,
                          check=True).stdout
    return set(re.findall(r"#define __NR_(\w+) ", text))


def callers_of_the_program():
    """What libc's headers declare with a function or a sigevent among the parameters; by name, whether it is a sigevent."""
    includes = "".join(f"#include <{header}.h>\n" for header in HEADERS.split())
    text = subprocess.run(["cc", "-E", "-P", "-D_GNU_SOURCE", "-xc", "-"], input=includes, text=True, capture_output=True, check=True).stdout
    declarations = [" ".join(part.split()) for part in re.sub(r"__attribute__\s*\(\(.*?\)\)|__extension__|__restrict", " ", text).split(";")]
    functions = {"sigevent", "sigevent_t"}
    for part in declarations:
        if made := re.search(r"typedef .*\( ?\* ?(\w+) ?\) ?\(", part) or re.search(r"typedef (?:int|void|ssize_t) (\w+) \(", part):
            functions.add(made[1])
        elif (made := re.fullmatch(r"typedef (\w+) (\w+)", part)) and made[1] in functions:
            functions.add(made[2])
    found = {}
    for part in declarations:
        declared = re.search(r"extern [^()]*?\b(\w+) ?\((.*)\)", part)
        words = set(re.findall(r"\w+", declared[2])) if declared else set()
        if declared and (re.search(r"\( ?\* ?\w* ?\) ?\(", declared[2]) or words & functions):
            found[declared[1]] = bool(words & {"sigevent", "sigevent_t"})
    return found


def prototypes(page):
    """The functions of a page's synopsis, with their parameters."""
    synopsis = re.search(r"^\.SH SYNOPSIS\n(.*?)(?=^\.SH )", page, re.M | re.S)
    text = re.sub(r'\\f[BIRP]|\\-|^\.[A-Z]+ |["\\]', "", synopsis[1] if synopsis else "", flags=re.M)
    return re.findall(r"\b(\w+)\(([^()]*)\)\s*;", " ".join(text.split()))


def unsafe_in(page):
    """The functions that the page's section ATTRIBUTES calls MT-Unsafe."""
    attributes = re.search(r"^\.SH ATTRIBUTES\n(.*?)(?=^\.SH |\Z)", page, re.M | re.S)
    for table in re.findall(r"^\.TS\n(.*?)^\.TE", attributes[1] if attributes else "", re.M | re.S):
        cells = re.sub(r"T\{\n(.*?)\nT\}", lambda cell: cell[1].replace("\n", " "), table, flags=re.S)
        for row in cells.splitlines():
            interface, _, value = (row.split("\t") + ["", ""])[:3]
            # Some pages say so of older versions only.
            if "MT-Unsafe" in value and "MT-Safe" not in value:
                yield from re.findall(r"\.BR? (\w+)", interface)


def unsafe_in_the_manual():
    pages = [page for page in MANUAL.glob("*.3.gz") if not page.is_symlink()]
    return {name for page in pages for name in unsafe_in(gzip.open(page, "rt", errors="replace").read())}


class Table(unittest.TestCase):
    def setUp(self):
        self.calls = libc_calls.calls()
        self.known = {name for row in self.calls + libc_calls.shared() + libc_calls.same() for name in row.names}

    def test_what_is_written_from_it_is_current(self):
        subprocess.run([sys.executable, ROOT / "bindings/libc_calls.py", "--check"], check=True)

    def test_every_symbol_of_libc_has_a_place(self):
        """What is new in a libc must be judged: is its state the process's, and does it name a descriptor or a path?"""
        own = {name for row in self.calls for name in row.names}
        patterns = self.known - own
        used = set()
        for library in OF_LIBC:
            with self.subTest(library):
                found = {name: places(name, library, patterns) for name in symbols_of(library) - own}
                used.update(*found.values())
                self.assertEqual(sorted(name for name, where in found.items() if not where), [])
        self.assertEqual(sorted(pattern for pattern in patterns - used if "*" in pattern), [], "it means nothing")

    def test_of_every_callback_it_is_known_where_it_runs(self):
        found = callers_of_the_program()
        self.assertGreater(len(found), 40)
        rows = libc_calls.callbacks()
        names = [name for row in rows for name in row.names]
        self.assertEqual(sorted(names), sorted(found))
        notified = {name for row in rows if "thread of its own" in row.says for name in row.names}
        self.assertEqual(notified, {name for name, by_event in found.items() if by_event})
        marked = {function["name"] for row in self.calls for function in row.functions
                  if re.search(r"\b(const_)?event ", function["parameters"])}
        self.assertEqual(notified - marked, WITH_BODIES)

    def test_every_system_call_has_a_place(self):
        rows = libc_calls.system_calls()
        names = [name for head, row in rows.items() if head != "makes" for name in row]
        self.assertEqual(len(names), len(set(names)), "a name stands twice")
        self.assertEqual(sorted(system_calls_of_kernel() - set(names) - set(rows["makes"])), [])
        self.assertEqual(set(rows) - {"makes", "as-function", "as-named", "same", "shared"} - {head for head in rows if head[0].isdigit()}, set())

    def test_what_takes_a_descriptor_is_not_the_same(self):
        """By the names that the manual gives parameters."""
        pages = [page for section in ("man2", "man3") for page in (MANUAL.parent / section).glob("*.gz") if not page.is_symlink()]
        if len(pages) < 100:
            self.skipTest("the pages of manpages-dev are not there")
        takers = {name for page in pages for name, parameters in prototypes(gzip.open(page, "rt", errors="replace").read())
                  if re.search(r"\bint \w*(fd|fildes|descriptor)\w*", parameters)}
        self.assertGreater(len(takers), 100)
        same = {name for row in libc_calls.same() for name in row.names}
        wrong = [name for name in takers - {name for row in self.calls for name in row.names} if places(name, "libc.so.6", same)]
        self.assertEqual(sorted(wrong), [])

    def test_what_follows_from_marks(self):
        function = libc_calls.SIGNATURE.fullmatch("int f(fd folder, path name, int flags) noexcept")
        self.assertEqual(libc_calls.named(function), "HEDDLE_EXPORT int f(int folder, const char* name, int flags) noexcept {\n  take_due_turn();\n  return libc().f("
                         "in_process(folder), OwnPath(name, folder, (flags & AT_SYMLINK_NOFOLLOW) == 0), flags);\n}\n")

    def test_more_arguments(self):
        function = libc_calls.WRITTEN.fullmatch("int f(const char* format, ...) = g(format, arguments)")
        self.assertEqual(libc_calls.written(function), "HEDDLE_EXPORT int f(const char* format, ...) {\n  va_list arguments;\n"
                         "  va_start(arguments, format);\n  const auto result = g(format, arguments);\n  va_end(arguments);\n"
                         "  return result;\n}\n")

    def test_it_has_what_the_libraries_export(self):
        for folder, library in libc_calls.LIBRARIES.items():
            with self.subTest(library):
                found = exported(FOLDER / library)
                self.assertGreater(len(found), 100)
                self.assertEqual(found, libc_calls.exports(self.calls, folder))

    def test_a_name_has_one_owner(self):
        self.assertEqual(libc_calls.exports(self.calls, "of_rank") & libc_calls.exports(self.calls, "exports"), set())
        names = sorted(name for row in self.calls for name in row.names)
        self.assertEqual(len(names), len(set(names)))

    def test_a_second_owner_is_refused(self):
        twice = libc_calls.Row("own", "a.cpp", "")
        twice.names = ["strtok"]
        self.assertEqual(libc_calls.repeated(self.calls + [twice]), ["strtok"])

    def test_a_name_is_in_the_file_of_its_row(self):
        for row in self.calls:
            text = (ROOT / row.file).read_text()
            here = set(row.names) - {function["name"] for function in row.functions}
            self.assertEqual([name for name in sorted(here) if not re.search(rf"\b{name}\b", text)], [], row.file)

    def test_functions_that_the_manual_calls_unsafe(self):
        if not MANUAL.is_dir() or not (MANUAL / "strtok.3.gz").exists():
            self.skipTest("the pages of manpages-dev are not there")
        unsafe = unsafe_in_the_manual()
        self.assertGreater(len(unsafe), 150)
        self.assertEqual(sorted(unsafe - self.known), [])

    def test_functions_whose_state_is_the_processs(self):
        names = {name for group in OF_THE_PROCESS.values() for name in group.split()}
        self.assertEqual(sorted(names - self.known), [])

    def test_a_function_that_is_one_expression_is_written(self):
        function = libc_calls.WRITTEN.fullmatch("char* f(const char* text, int count) noexcept = now(libc, text, count)")
        self.assertEqual(libc_calls.written(function), "HEDDLE_EXPORT char* f(const char* text, int count) noexcept {\n"
                         "  return now(libc().f, text, count);\n}\n")

    def test_functions_of_libc_are_found_before_main_alone(self):
        """dlsym takes a lock of the dynamic linker, which a rank must not need where it first calls a function."""
        sources = (path for path in (ROOT / libc_calls.PLACE).rglob("*") if path.suffix in (".h", ".cpp", ".S"))
        found = {path.name for path in sources if re.search(r"\bdlv?sym\(", path.read_text())}
        self.assertEqual(found, LOOKERS)

    def test_how_a_page_is_read(self):
        page = (".SH NAME\nf\n.SH ATTRIBUTES\n.TS\nlb lb lb\nl l l.\nInterface\tAttribute\tValue\nT{\n.BR f (),\n.BR g ()\nT}\t"
                "Thread safety\tT{\nMT-Unsafe race:f\nlocale\nT}\nT{\n.BR h ()\nT}\tThread safety\tMT-Safe\n.TE\n.SH NOTES\nMT-Unsafe\n")
        self.assertEqual(list(unsafe_in(page)), ["f", "g"])
        self.assertEqual(list(unsafe_in(".SH NAME\nf\n")), [])


if __name__ == "__main__":
    FOLDER = pathlib.Path(sys.argv.pop())
    unittest.main()
