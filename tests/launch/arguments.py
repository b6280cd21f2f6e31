"""What mpiexec says about its arguments, and what job it makes of them. Runs no job."""
import socket
import sys

from table import Bench

HOST = socket.gethostname()
USAGE = 2
SHOW = "mpiexec --ranks-as threads --show"  # of programs that are none of our mpicc

WRONG = [
    ("a program must be named", "mpiexec", USAGE, None, "no program is named"),
    ("options alone name no program", "mpiexec -n 2", USAGE, None, "no program is named"),
    ("every section names a program", "mpiexec -n 2 true : -n 3", USAGE, None, "section 2"),
    ("a value must follow", "mpiexec -n", USAGE, None, "argument -n needs a value"),
    ("two values must follow -env", "mpiexec -env A", USAGE, None, "-env needs a name and a value"),
    ("ranks are a number", "mpiexec -n two true", USAGE, None, "argument -n is 'two'"),
    ("ranks are a whole number", "mpiexec -np 2.5 true", USAGE, None, "argument -np is '2.5'"),
    ("ranks are at least one", "mpiexec -n 0 true", USAGE, None, "argument -n is '0'"),
    ("ranks are not negative", "mpiexec -n -4 true", USAGE, None, "argument -n is '-4'"),
    ("ranks fit an int", "mpiexec -n 99999999999 true", USAGE, None, "argument -n is '999"),
    ("a machine does not carry any number of ranks", "mpiexec -n 99999999 true", USAGE, None,
     r"\Ampiexec: the job has 99999999 ranks, but this machine carries at most [1-9]\d*: .* a rank takes at least .*; start fewer.*\n\Z"),
    ("sections are counted together", "mpiexec -n 2147483647 true : -n 2147483647 true", USAGE, None,
     "the job has 4294967294 ranks"),
    ("workers are at least one", "mpiexec --workers 0 true", USAGE, None, "--workers is '0'"),
    ("a strange option is named", "mpiexec --foo true", USAGE, None, "no option --foo"),
    ("names are not shortened", "mpiexec --work 2 true", USAGE, None, "did you mean --workers"),
    ("binding is to a part of the machine", "mpiexec --bind-to board true", USAGE, None, "core, l3cache, numa, socket, none"),
    ("mapping, too", "mpiexec --map-by board true", USAGE, None, "slot, node, ppr:N:node, core, l3cache, numa, socket"),
    ("ranks have two orders", "mpiexec --rank-by node true", USAGE, None, "must be slot or fill"),
    ("a file of machines names one", "mpiexec -hostfile empty true", USAGE, None, "argument -hostfile: 'empty' names no machine"),
    ("a machine's number is one", "mpiexec --host a:b,c true", USAGE, None, "gives machine 'a' the number 'b'"),
    ("threads of a rank are of two kinds", "mpiexec --posix-threads 3 true", USAGE, None, "ult or kernel"),
    ("the initial error handler is one of three", "mpiexec -initial-errhandler return true", USAGE, None,
     "argument -initial-errhandler is 'return', but must be mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return"),
    ("a wrong setting is refused", "mpiexec true", USAGE, None,
     r"\Ampiexec: HEDDLE_LIFETIME is 'magic', but must be atomic, predefined, collector, none or asserted\n\Z",
     {"env": {"HEDDLE_LIFETIME": "magic"}}),
    ("also with --show", f"{SHOW} true", USAGE, None, "'x', but must be ult or kernel",
     {"env": {"HEDDLE_POSIX_THREADS": "x"}}),
    *[(f"{what} is no eager limit", "mpiexec true", USAGE, None,
       f"HEDDLE_EAGER_LIMIT is '{text}', but must be a whole number of bytes from 0 to 9223372036854775807",
       {"env": {"HEDDLE_EAGER_LIMIT": text}})
      for what, text in (("nothing", ""), ("a word", "much"), ("a number and a word", "8192x"), ("a negative number", "-1"),
                         ("a fraction", "1.5"), ("too much", "9223372036854775808"), ("too much with a suffix", "9999999999G"),
                         ("a blank", " 8192"))],
    ("a setting is not for single ranks", "mpiexec -x HEDDLE_EAGER_LIMIT=1 true", USAGE, None, "holds for the whole job"),
    ("nor in MPICH's spelling", "mpiexec -genv HEDDLE_LIFETIME none true", USAGE, None, "holds for the whole job"),
    ("ranks are threads or processes", "mpiexec --ranks-as cats true", USAGE, None, "threads or processes"),
    ("the directory must exist", "mpiexec -wdir /none true", USAGE, None, "-wdir is '/none'"),
    ("the directory is a directory", "mpiexec -wdir /etc/passwd true", USAGE, None, "no directory"),
    ("a variable has a name", "mpiexec -x =3 true", USAGE, None, "argument -x is ''"),
    ("another machine needs a launcher", "mpiexec -host mars /bin/true", 127, None, "none of: mpiexec.hydra, prterun", {"env": {"PATH": "/nowhere"}}),
    ("and so does one of several", "mpiexec -hosts localhost,mars /bin/true", 127, None, "none of", {"env": {"PATH": "/nowhere"}}),
    ("a machine has a name", "mpiexec -host mars,,venus true", USAGE, None, "without a name"),
    ("a launcher is one of those", "mpiexec --launcher rsh true", USAGE, None, "'rsh', but must be one of: srun, hydra, prterun"),
    ("a launcher needs machines", "mpiexec --launcher hydra /bin/true", USAGE, None, "name the machines", {"env": {"PATH": "launchers"}}),
    ("a host file must exist", "mpiexec -f none true", USAGE, None, "cannot read 'none'"),
    ("a missing program is 127", "mpiexec -n 2 no-such-program", 127, None, "no program 'no-such-program'"),
    ("a missing file is 127", "mpiexec -n 2 ./none", 127, None, "no program './none'"),
    ("a text is 126", "mpiexec /etc/passwd", 126, None, "not an executable file"),
    ("a directory is 126", "mpiexec /tmp", 126, None, "not an executable file"),
    ("-path is in place of PATH", "mpiexec -path /none true", 127, None, "no program 'true'"),
    ("a config file must exist", "mpiexec -configfile none", USAGE, None, "cannot read 'none'"),
    ("a config file stands alone", "mpiexec -configfile job true", USAGE, None, "stand in the file"),
    ("a quote in it must end", "mpiexec -configfile open-quote", USAGE, None, "line 2"),
    ("it must name a program", "mpiexec -configfile empty", USAGE, None, "names no program"),
]

RIGHT = [
    ("--help shows the options", "mpiexec --help", 0, "--workers N", None),
    ("--help wins over the rest", "mpiexec -n 2 --help true", 0, "mpiexec \\[OPTIONS\\]", None),
    ("--version", "mpiexec --version", 0, r"^mpiexec \(Heddle\) \d", None),
    ("one rank is the default", f"{SHOW} true", 0, "^ranks=1$", None),
    ("-np is -n", f"{SHOW} -np 3 true", 0, "^ranks=3$", None),
    ("a value may be joined", f"{SHOW} -n3 true", 0, "^ranks=3$", None),
    ("= may join it", f"{SHOW} --workers=3 true", 0, "^workers=3$", None),
    ("PATH finds the program", f"{SHOW} true", 0, "^path=.*/bin/true$", None),
    ("its name stays as written", f"{SHOW} true", 0, "^argc=1\ntrue$", None),
    ("options end at the program", f"{SHOW} true -n 7", 0, "^ranks=1\n(.*\n)*argc=3\ntrue\n-n\n7$", None),
    ("blanks in arguments stay", f"{SHOW} true 'a b' ''", 0, "^argc=3\ntrue\na b\n$", None),
    ("a path is taken from -wdir", f"{SHOW} -wdir /usr/bin ./env", 0, "^path=/usr/bin/env$", None),
    ("a path is taken from here too", f"{SHOW} -wdir / ./tool", 0, "^path=.*/arguments/tool$", None),
    ("a name is found in -wdir at last", f"{SHOW} tool", 0, "^path=.*/arguments/tool$", None),
    ("-path finds the program", f"{SHOW} -path .:/none tool", 0, "/arguments/tool$", None),
    ("-x with a value", f"{SHOW} -x A=b=c true", 0, "^env=A=b=c$", None),
    ("-x of what is not set warns", f"{SHOW} -x NO_SUCH true", 0, "^path", "names NO_SUCH"),
    ("-env has two words", f"{SHOW} -env A 'b c' true", 0, "^env=A=b c$", None),
    ("-genv is for all sections", f"{SHOW} -genv A 1 true : true", 0, "env=A=1(.*\n)*program\n(.*\n)*env=A=1", None),
    ("a section's own comes later", f"{SHOW} -env A 2 -genv A 1 true", 0, "^env=A=1\nenv=A=2$", None),
    ("sections keep their options", f"{SHOW} -n 2 true : -n 3 tool", 0, "ranks=2\n(.*\n)*program\nranks=3", None),
    ("labels", f"{SHOW} -l true", 0, "^labels=1$", None),
    ("labels as MPICH has them", f"{SHOW} -prepend-rank true", 0, "^labels=1$", None),
    ("workers are bound", f"{SHOW} true", 0, "^bind=core$", None),
    ("mapping is passed on", f"{SHOW} --map-by package --rank-by fill --report-bindings true", 0, "^map=socket\nfill=1\nreport=1$", None),
    ("unless one says no", f"{SHOW} -bind-to none true", 0, "^bind=none$", None),
    ("a rank's threads may be the kernel's", f"{SHOW} --posix-threads kernel true", 0,
     r"\AHEDDLE_POSIX_THREADS=kernel\n", None),
    ("error handlers may be others at first", f"{SHOW} -initial-errhandler mpi_errors_abort true", 0,
     r"\AHEDDLE_INITIAL_ERRHANDLER=mpi_errors_abort\n", None),
    ("an option wins over a variable", f"{SHOW} --posix-threads=ult true", 0, r"\AHEDDLE_POSIX_THREADS=ult\n", None,
     {"env": {"HEDDLE_POSIX_THREADS": "wrong"}}),
    ("sizes may have suffixes", f"{SHOW} true", 0, "^ranks=1$", None, {"env": {"HEDDLE_EAGER_LIMIT": "64k"}}),
    ("an unknown setting is warned of once", f"{SHOW} true : true", 0, "^ranks=1$",
     r"\Ampiexec: HEDDLE_EAGERLIMIT is no setting and changes nothing; the nearest is HEDDLE_EAGER_LIMIT\n\Z",
     {"env": {"HEDDLE_EAGERLIMIT": "1"}}),
    ("those of tests and compilers are known", f"{SHOW} true", 0, "^ranks=1$", None,
     {"env": {"HEDDLE_TEST_SEED": "1", "HEDDLE_CC": "gcc"}}),
    ("--help shows the settings", "mpiexec --help", 0, r"HEDDLE_LIFETIME=atomic\|predefined\|collector\|none\|asserted \(collector\)", None),
    ("a library may be shared", f"{SHOW} --share-library libx true", 0, "^share=libx$", None),
    ("this machine may be named", f"{SHOW} -host localhost:4,{HOST} true", 0, "^ranks=1$", None),
    ("also in a file", f"{SHOW} -f hosts true", 0, "^ranks=1$", None),
    ("hydra starts a process on each of several machines", f"{SHOW} -host a,b -n 8 /bin/true", 0,
     r"/mpiexec\.hydra\n-hosts\na:1,b:1\n-n\n2\nsh\n(.*\n)*.*/heddle-host\n(.*\n)*hosts=2\nprogram\nranks=8\n",
     r"\Ampiexec: hydra \(.*\) starts the job on a,b\n\Z", {"env": {"PATH": "launchers"}}),
    ("so does prterun, which must be told what to pass on", f"{SHOW} -host a,b --launcher prterun -n 8 /bin/true", 0,
     r"/prterun\n--bind-to\nnone\n(--allow-run-as-root\n)?--host\na:1,b:1\n-n\n2\n(-x\n.*\n)*-x\nGLIBC_TUNABLES\n(.*\n)*hosts=2\n",
     r"\Ampiexec: prterun \(.*\) starts the job on a,b\n\Z", {"env": {"PATH": "launchers"}}),
    ("and srun, in an allocation by itself", f"{SHOW} -host a,b -n 8 /bin/true", 0,
     r"/srun\n--kill-on-bad-exit=1\n--mpi=pmi2\n(--.*\n)*--nodes=2\n--distribution=block\n--nodelist=a,b\n--ntasks=2\n.*/heddle-host\n", "^mpiexec: srun",
     {"env": {"PATH": "launchers", "SLURM_JOB_ID": "7"}}),
    ("whose machines need no name", "mpiexec --show --ranks-as processes -x A=b -n 8 /bin/true", 0,
     r"--nodes=3\n--distribution=block\n--nodelist=n1,n2,n07\n--ntasks=8\n--chdir=.*\n--export=ALL,A=b\n/bin/true\n\Z",
     "on n1,n2,n07, of Slurm's allocation 7$", {"env": {"PATH": "launchers", "SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2,07]"}}),
    ("an allocation of this machine alone needs no launcher", f"{SHOW} -n 8 true", 0, r"heddle-host\n(.*\n)*ranks=8$", None,
     {"env": {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": HOST}}),
    ("on no more than -ppn makes necessary", f"{SHOW} -f machines -ppn 2 -n 3 /bin/true", 0, r"^a:1,b:1\n-n\n2\n", "on a,b$",
     {"env": {"PATH": "launchers"}}),
    ("and not on fewer", f"{SHOW} -host a,b -ppn 2 -n 5 /bin/true", USAGE, None, "2 machines with 2 each carry fewer", {"env": {"PATH": "launchers"}}),
    ("nor on more than there are ranks", f"{SHOW} -f one-by-one -n 2 /bin/true", 0, r"^a:1,b:1\n", "on a,b$", {"env": {"PATH": "launchers"}}),
    ("ranks that are processes are the launcher's",
     "mpiexec --show --ranks-as processes -host a,b -genv A b -n 3 /bin/true x : -wdir / -n 2 -x C=d /bin/cat", 0,
     r"\n-hosts\na:3,b:2\n-n\n3\n-wdir\n.*\n-env\nA\nb\nsh\n(.*\n)*/bin/true\nx\n:\n-n\n2\n-wdir\n/\n-env\nA\nb\n-env\nC\nd\nsh\n(.*\n)*/bin/cat\n\Z", "^mpiexec: hydra",
     {"env": {"PATH": "launchers"}}),
    ("-ppn is accepted", f"{SHOW} -ppn 4 -n 8 true", 0, "^ranks=8$", None),
    ("Open MPI's permissions too", f"{SHOW} --oversubscribe --allow-run-as-root true", 0, "^ranks=1$", None),
    ("-disable-auto-cleanup is accepted", f"{SHOW} -disable-auto-cleanup -n 2 true", 0, "^ranks=2$", None),
    ("a config file has sections", f"{SHOW} -configfile job", 0, "ranks=2\n(.*\n)*argc=3\ntrue\na b\n#c\nprogram\nranks=3", None),
]


def main():
    bench = Bench(sys.argv)
    files = {
        "tool": "#!/bin/true\n",
        "hosts": f"# here\nlocalhost slots=4\n{HOST}:2\n",
        "job": "# two sections\n\n-n 2 true 'a b' \\#c # end\n-n 3 true\n",
        "open-quote": "-n 1 true\n-n 2 true 'a\n",
        "empty": "# nothing\n",
        "machines": "a slots=4\nb:4 # both\na\nc\n",
        "one-by-one": "a # both\nb\nc\n",
        **{f"launchers/{name}": "#!/bin/true\n" for name in ("mpiexec.hydra", "prterun", "srun")},
    }
    (bench.work / "launchers").mkdir(exist_ok=True)
    for name, text in files.items():
        (bench.work / name).write_text(text)
    for program in ("tool", "launchers/mpiexec.hydra", "launchers/prterun", "launchers/srun"):
        (bench.work / program).chmod(0o755)
    for row in WRONG + RIGHT:
        bench.check(row)
    bench.done()


main()
