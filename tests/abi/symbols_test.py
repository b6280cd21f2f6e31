"""What libmpi_abi.so.1 exports, against the standard's list and spec/calls.

    symbols_test.py path/to/libmpi_abi.so.1
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings"))
import api  # noqa: E402
import calls  # noqa: E402

# Not of the standard: extensions, and hooks for our own host and libheddle_libc.so.
OWN_PREFIXES = ("MPIX_", "heddle_")
MAP = (ROOT / "cmake" / "mpi_abi.map").read_text()


def exported(library):
    made = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                          check=True)
    symbols = {}
    for line in made.stdout.splitlines():
        _, kind, name = line.split()
        symbols[name.partition("@")[0]] = kind
    return symbols


def test_code(library):
    """What only tests may contain. A library without a symbol table tells nothing."""
    made = subprocess.run(["nm", "-C", "--defined-only", library], capture_output=True, text=True,
                          check=False)
    names = [line.split(None, 2)[2] for line in made.stdout.splitlines() if line.count(" ") >= 2]
    if not any("heddle::p2p::Exchange" in name for name in names):
        return
    for name in names:
        if "transport::Fake" in name:
            yield f"{name} is of src/net/transport/fake, which only tests may contain"


def problems(symbols):
    standard = {f.name for f in api.functions()}
    implemented = calls.implemented()
    for name, kind in sorted(symbols.items()):
        if name.startswith("MPI_"):
            if name not in standard:
                yield f"{name} is exported but no function of the standard"
            elif name not in implemented:
                yield f"{name} is exported but has no line in spec/calls"
            if kind != "W":
                yield f"{name} is not weak, so no tool can replace it"
            if "P" + name not in symbols:
                yield f"{name} has no twin P{name}"
        elif name.startswith("PMPI_"):
            if name[1:] not in symbols:
                yield f"{name} is exported without {name[1:]}"
        elif not name.startswith(OWN_PREFIXES) and not re.search(rf"^\s*{name};", MAP, re.M):
            yield f"{name} is exported, but cmake/mpi_abi.map does not name it"
    for name in sorted(implemented - set(symbols)):
        yield f"{name} has a line in spec/calls but is not exported"


def main():
    symbols = exported(sys.argv[1])
    count = sum(name.startswith("MPI_") for name in symbols)
    print(f"{count} MPI_ functions exported")
    found = list(problems(symbols)) + list(test_code(sys.argv[1]))
    more = f"\n... and {len(found) - 30} more" if len(found) > 30 else ""
    sys.exit("\n".join(found[:30]) + more or 0)


if __name__ == "__main__":
    main()
