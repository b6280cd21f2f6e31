"""The table of allocators of [mpc] (docs/papers.md) as shares of local pages, in an emulated machine with several NUMA nodes: `./dev bench numa`.

Ranks allocate what its advection does, and then all move to another node (local_pages.c). Prints how many of their pages are on the
node of the CPU that runs them, before and after, with glibc's malloc and with heaps of ranks. [mpc] has seconds. An emulated machine
has no slow remote memory, so seconds are not measurable here.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GUEST = ROOT / "tests/numa"
ALLOCATORS = ("glibc", "mimalloc")
RESULT = re.compile(r"RESULT ([\d.]+) ([\d.]+)$", re.MULTILINE)


def read_options():
    parser = argparse.ArgumentParser(prog="./dev bench numa", description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", default="1,2,4,6,8,10,12,14,16", help="numbers of ranks; default: those of [mpc], %(default)s")
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--cpus", type=int, default=4, help="of all nodes together")
    parser.add_argument("--prefix", default=ROOT / "build/release", type=pathlib.Path, help="where bin/mpiexec is")
    options = parser.parse_args()
    options.tasks = options.tasks.split(",")
    return options


def run(options, work):
    """Before and after, for each number of tasks and each allocator in turn."""
    if subprocess.run([GUEST / "kernel.sh", work], check=False).returncode != 0:
        sys.exit("the guest's kernel cannot be fetched from Debian's packages")
    bin_folder, program = options.prefix.resolve() / "bin", work / "local_pages"
    subprocess.run([bin_folder / "mpicc", "-O2", "-o", program, pathlib.Path(__file__).parent / "local_pages.c"], check=True)
    build = bin_folder.parent
    library = next(path for path in pathlib.Path("/usr/lib").glob("*/libmimalloc.so.2"))
    words = [GUEST / "guest.sh", "-k", work / "vmlinuz", "-n", options.nodes, "-c", options.cpus, "-m", 2048 // options.nodes, "-t", 600]
    for file in (bin_folder / "mpiexec", build / "libexec/heddle/heddle-host", build / "lib/libmpi_abi.so.1", build / "lib/libheddle_libc.so",
                 library, program):
        words += ["-f", file]
    commands = [f"{bin_folder}/mpiexec -n {tasks} --malloc {name} {program}" for tasks in options.tasks for name in ALLOCATORS]
    done = subprocess.run([str(word) for word in [*words, "--", " && ".join(commands)]], text=True, capture_output=True, check=False)
    results = RESULT.findall(done.stdout)
    if done.returncode != 0 or len(results) != len(commands):
        sys.exit(f"the guest ended with {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return results


def main():
    options = read_options()
    if not all(shutil.which(name) for name in ("qemu-system-x86_64", "busybox", "cpio")):
        sys.exit("qemu-system-x86, busybox-static and cpio are needed")
    with tempfile.TemporaryDirectory() as folder:
        results = run(options, pathlib.Path(folder))
    print(f"Pages on the node of the rank's CPU, percent; {options.nodes} nodes, {options.cpus} CPUs, emulated. Before all ranks move to another node, "
          "and after.\n")
    print("| tasks |", " | ".join(f"{name}, before | after" for name in ALLOCATORS), "|")
    print("|---|" + "---|" * 2 * len(ALLOCATORS))
    for i, tasks in enumerate(options.tasks):
        shares = [share for pair in results[i * len(ALLOCATORS):(i + 1) * len(ALLOCATORS)] for share in pair]
        print(f"| {tasks} |", " | ".join(shares), "|")
    print("\nSeconds: not measurable here, an emulated machine has no slow remote memory.")


main()
