"""include/mpi.h against mpi_abi.h of MPICH 5.0.2, another implementation of the same ABI.

    oracle_test.py CACHE            fetches the PyPI package mpich into CACHE, once; compares
    oracle_test.py CACHE --record   writes facts.txt from it

Exits with 77 (skipped) where the package cannot be fetched.
"""
import pathlib
import re
import subprocess
import sys
import zipfile

from header import HEADER, ROOT, compile_c, declared, values

# MPICH 5.0.2 has MPI_Count counts in these and no `_c` twins; the errata changed that.
ERRATA = ("MPI_Psend_init", "MPI_Precv_init")


def fetch(cache):
    header = cache / "mpi_abi.h"
    if header.exists():
        return header
    cache.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check",
               "mpich==5.0.2", "-d", str(cache)]
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=240)
        reason = made.stderr.strip().splitlines()[-1:] if made.returncode else None
    except (subprocess.TimeoutExpired, OSError) as error:
        reason = [str(error)]
    if reason is not None:
        print(f"skipped: the PyPI package mpich 5.0.2 cannot be fetched ({' '.join(reason)})")
        sys.exit(77)
    wheel = next(cache.glob("mpich-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith("/mpi_abi.h"))
        header.write_bytes(archive.read(name))
    wheel.unlink()
    return header


def constant_names(text):
    text = text[:text.index("/* MPI functions */")]
    names = re.findall(r"^#define (MPI_\w+)\s+\S", text, re.M)
    names += re.findall(r"^\s+(MPI_\w+)\s*=", text, re.M)
    internal = ("MPI_H_ABI", "MPI_ABI_Aint", "MPI_ABI_Offset", "MPI_ABI_Count")
    return [name for name in names if name not in internal]


def typedefs(text):
    return re.findall(r"^typedef \w+ \(MPI_\w+\)\s*\(.*?\);", text, re.M | re.S)


def without_errata(functions):
    return {n: d for n, d in functions.items() if n.removeprefix("P") not in ERRATA}


def compare(theirs_path):
    text = theirs_path.read_text()
    names = constant_names(text)
    ours_seen = values("<mpi.h>", names, f"-I{ROOT}/include")
    theirs_seen = values(f'"{theirs_path}"', names)
    problems = sorted(set(ours_seen.splitlines()) ^ set(theirs_seen.splitlines()))

    theirs = {n: d for n, d in declared(text).items() if "MPIX_" not in n}
    ours = declared(HEADER.read_text().partition("---- 2.")[0])
    twins = {f"{p}{n}_c" for n in ERRATA for p in ("", "P")}
    problems += [f"only one header declares {n}" for n in set(theirs) ^ set(ours) ^ twins]

    # A second declaration must agree with the first, so the compiler compares the types.
    again = "\n".join(f"{d};" for d in without_errata(theirs).values())
    again += "\n" + "\n".join(t for t in typedefs(text) if "MPIX_" not in t)
    problems += [compile_c(f"#include <mpi.h>\n{again}\n", "-std=c11", f"-I{ROOT}/include")]
    print(f"compared {len(names)} constants, {len(theirs)} prototypes, {len(typedefs(text))} callbacks")
    return [p for p in problems if p]


def main():
    header = fetch(pathlib.Path(sys.argv[1]))
    if "--record" in sys.argv:
        facts = values(f'"{header}"', constant_names(header.read_text()))
        pathlib.Path(__file__).with_name("facts.txt").write_text(facts)
        return
    sys.exit("\n".join(compare(header)) or 0)


if __name__ == "__main__":
    main()
