"""Pages of a rank are on the NUMA node of its worker, before and after it moves: its heap, data, stack, TLS block. In a guest with several nodes."""
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent
TURNS = 4  # of heaps.c: one before the first move, three after moves
# The heap's, and with glibc's malloc the rest.
PARTS = ("--malloc mimalloc WORK/heaps moves", "WORK/heaps image")
# A line of `heaps` whose rank has pages on one node alone: rank, worker, node. mpiexec's progress may stand before it: it is a terminal.
LINE = re.compile(r"rank (\d+) worker (\d+): pages node (\d+) \d+$", re.MULTILINE)


def run(bin_folder, work, nodes, cpus, ranks):
    """What the guest printed."""
    build = bin_folder.parent
    library = next(pathlib.Path(folder, "libmimalloc.so.2") for folder in ("/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu"))
    files = [bin_folder / "mpiexec", build / "libexec/heddle/heddle-host", build / "lib/libmpi_abi.so.1", build / "lib/libheddle_libc.so",
             library, work / "heaps"]
    words = [HERE / "guest.sh", "-k", work / "vmlinuz", "-n", nodes, "-c", cpus, "-m", 2048 // nodes, "-t", 240]
    for file in files:
        words += ["-f", file]
    command = " && ".join(f"{bin_folder}/mpiexec -n {ranks} {part.replace('WORK', str(work))}" for part in PARTS)
    result = subprocess.run([str(word) for word in [*words, "--", command]], text=True, capture_output=True, timeout=300, check=False)
    if result.returncode != 0:
        sys.exit(f"the guest ended with {result.returncode}\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


def check(output, nodes, cpus, ranks):
    """CPUs and so workers are in equal shares of nodes, in order (guest.sh)."""
    seen = LINE.findall(output)
    lines = ranks * TURNS * len(PARTS)
    assert len(seen) == lines, f"{len(seen)} lines, not {lines}:\n{output}"
    for rank, worker, node in seen:
        assert int(node) == int(worker) * nodes // cpus, f"rank {rank}'s pages are on node {node}, its worker is {worker}:\n{output}"
    assert len({node for _, _, node in seen}) == nodes, f"not all nodes were used:\n{output}"


def main():
    bin_folder, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    work = work.resolve()
    if not all(shutil.which(name) for name in ("qemu-system-x86_64", "busybox", "cpio")):
        print("qemu-system-x86, busybox-static and cpio are needed")
        sys.exit(SKIPPED)
    if subprocess.run([HERE / "kernel.sh", work], check=False).returncode != 0:
        print("the guest's kernel cannot be fetched")
        sys.exit(SKIPPED)
    subprocess.run([bin_folder / "mpicc", "-O1", "-o", work / "heaps", HERE.parent / "launch/programs/heaps.c"], check=True)
    for nodes, cpus, ranks in ((2, 4, 4), (4, 4, 8)):
        check(run(bin_folder, work, nodes, cpus, ranks), nodes, cpus, ranks)
        print(f"ok: {ranks} ranks, {nodes} nodes", flush=True)


main()
