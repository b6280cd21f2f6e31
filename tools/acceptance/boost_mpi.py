"""Boost.MPI's own tests: C++ objects that are serialized, skeletons of them, requests, topologies, groups.

Boost.MPI and Boost.Serialization are compiled by our mpicxx with every program, so each rank has their registries of types
to itself. A test passes if its ranks end with status 0 and each says that Boost.Test has found no error.
"""
import concurrent.futures
import os
import re
import subprocess
import sys

import modes
from debian_source import fetch_original

PACKAGE = "boost1.74"
UNPACKED = ("boost/libs/mpi/src/*.cpp", "boost/libs/mpi/test/*", "boost/libs/mpi/example/*", "boost/libs/serialization/src/*")
LIBRARY = ("mpi", "serialization")
NOT_OF_THE_LIBRARY = re.compile(r"python/|/(?:basic_)?xml_|_w\w*archive|_wi|_wo|polymorphic_xml|codecvt_facet|stl_port")
USUAL_RANKS = "1 2 3 4 7 8 13 17"  # of rule mpi-test in Boost's tools/build/src/tools/mpi.jam
WORDS = ("-O1", "-g", "-w", "-std=c++17")
LIMIT = 300  # seconds a run
NO_ERROR = re.compile(r"\*\*\* No errors detected")


def add_arguments(parser):
    parser.add_argument("--ranks", default="listed", help="numbers of ranks for tests that are listed with 2 or more; "
                                                          "'listed' stands for those of Boost's list")
    parser.add_argument("--only", default="", metavar="REGEX", help="tests whose names it matches")
    modes.add_mode(parser)
    modes.add_nodes(parser)


def _listed(tests):
    """By the name of a test: its source and the numbers of ranks, as the Jamfile says."""
    text = re.sub(r"#.*", "", (tests / "Jamfile.v2").read_text())
    listed = {}
    for words in re.findall(r"\[ mpi-test ([^]]+)\]", text):
        name, source, _, ranks = [word.strip() for word in (words + ": : :").split(":")[:4]]
        listed[name] = tests / (source or f"{name}.cpp"), [int(number) for number in (ranks or USUAL_RANKS).split()]
    return listed


def _compiled(command, log):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    log.write(f"$ {' '.join(map(str, command))}\n{result.stdout}")
    return result.returncode == 0


def build(work, prefix, options):
    """Returns the tests that there are, as _listed says, and the folder of the programs."""
    if not (work / "boost/libs/mpi").exists():
        subprocess.run(["tar", "-xf", fetch_original(PACKAGE, work), "--wildcards", *UNPACKED], cwd=work, check=True)
    libraries = work / "boost/libs"
    listed = _listed(libraries / "mpi/test")
    if not listed:
        sys.exit(f"{libraries / 'mpi/test/Jamfile.v2'} lists no tests")
    programs = work / "programs"
    stamp = programs / "built-for"
    if not stamp.exists() or stamp.read_text() != str(prefix):
        subprocess.run(["rm", "-rf", programs], check=True)
    programs.mkdir(exist_ok=True)
    mpicxx = prefix / "bin/mpicxx"
    print(f"building Boost.MPI and its tests with {mpicxx}", flush=True)
    sources = [source for name in LIBRARY for source in sorted((libraries / name / "src").glob("*.cpp"))
               if not NOT_OF_THE_LIBRARY.search(str(source))]
    objects = [programs / f"{source.stem}.o" for source in sources]
    with open(work / "build.log", "w") as log, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def object_of(source, name):
            return name.exists() or _compiled([mpicxx, *WORDS, "-c", "-o", name, source], log)

        if not all(pool.map(object_of, sources, objects)):
            sys.exit(f"a file of the library does not compile: see {log.name}")
        stamp.write_text(str(prefix))

        def program_of(name):
            return (programs / name).exists() or _compiled([mpicxx, *WORDS, "-o", programs / name, listed[name][0], *objects], log)

        names = [name for name in listed if re.match(options.only, name)]
        list(pool.map(program_of, names))
    return {name: listed[name] for name in names}, programs


def _wrong(command, source, ranks, output):
    """What is wrong with a run, or nothing."""
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired as late:
        return f"it did not end within {LIMIT} s: {(late.stdout or b'')[-1000:]}"
    output.write(f"\n$ {' '.join(map(str, command))}\n{result.stdout}")
    said = len(NO_ERROR.findall(result.stdout))
    if result.returncode:
        return f"status {result.returncode}: {result.stdout[-1000:]}"
    if "unit_test.hpp" in source.read_text() and said != ranks:
        return f"{said} of {ranks} ranks say that there is no error: {result.stdout[-1000:]}"
    return ""


def run(built, folder, prefix, ranks, options):
    """Returns what is wrong."""
    tests, programs = built
    folder.mkdir(parents=True, exist_ok=True)
    complaints, passed = [], 0
    with open(folder / "output.txt", "w") as output, modes.mpiexec(prefix, options) as mpiexec:
        for name, (source, numbers) in tests.items():
            if not (programs / name).exists():
                complaints.append(f"{name}: is not built")
                continue
            if ranks != "listed" and max(numbers) > 1:
                numbers = [int(ranks)]
            for number in numbers[:2] if options.small else numbers:
                wrong = _wrong([*mpiexec, "-n", str(number), programs / name], source, number, output)
                passed += not wrong
                if wrong:
                    complaints.append(f"{name}, {number} ranks: {wrong}")
    print(f"  {len(tests)} tests, {passed} runs passed, {len(complaints)} failed", flush=True)
    return complaints
