"""The man pages, --help and docs/guide/running.md name the same options; one version stands everywhere."""
import pathlib
import re
import subprocess
import sys

from table import Bench

ROOT = pathlib.Path(__file__).resolve().parents[2]


def names_in_help(text):
    """Of the lines of options, the words in front that begin with a dash."""
    lines = [line.split() for line in text.splitlines() if line.startswith("  -")]
    names = set()
    for words in lines:
        end = next((i for i, word in enumerate(words) if not word.startswith("-")), len(words))
        names |= set(words[:end])
    return names


def names_in_page(text):
    options = text.split(".SH OPTIONS")[1].split(".SH")[0]
    heads = re.findall(r"^\.TP\n(.*)$", options, re.M)
    return {name.replace("\\-", "-") for head in heads for name in re.findall(r"\\fB(.*?)\\fR", head)}


def names_in_guide(text):
    table = text.split("## Options")[1].split("## ")[0]
    first_cells = " ".join(line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `"))
    return {word for quoted in re.findall(r"`([^`]*)`", first_cells) for word in quoted.split()[:1]}


def difference(one, other):
    return [f"only in {name}: {' '.join(sorted(left))}" for name, left in
            (("the first", one - other), ("the second", other - one)) if left]


def main():
    bench = Bench(sys.argv)
    manual = bench.bin.parent / "share/man/man1"
    said = {}
    for program, question in (("mpiexec", "--help"), ("mpicc", "-showme:help")):
        text = subprocess.run([bench.bin / program, question], text=True, capture_output=True, check=True).stdout
        page = (manual / f"{program}.1").read_text()
        said[program] = names_in_help(text)
        few = [] if len(said[program]) > 9 else ["too few options"]
        bench.report(f"{program}(1) names the options of {program} {question}",
                     few + difference(said[program], names_in_page(page)))
        bench.report(f"{program}(1) has no name of a place left", re.findall("@[A-Z_]+@", page))

    guide = (ROOT / "docs/guide/running.md").read_text()
    bench.report("running.md names them, too", difference(said["mpiexec"], names_in_guide(guide)))
    for name in ("mpicxx", "mpic++", "mpiCC"):
        bench.report(f"{name}(1) is mpicc(1)", [] if "mpicc.1" in (manual / f"{name}.1").read_text() else ["it is not"])

    bench.report("mpirun(1) is mpiexec(1)", [] if "mpiexec.1" in (manual / "mpirun.1").read_text() else ["it is not"])

    version = re.search(r"project\(heddle VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    for line in ("mpiexec --version", f"{bench.bin}/mpicc -showme:version"):
        bench.check((f"the version of {line.split('/')[-1]}", line, 0, rf"Heddle\)? {re.escape(version)}\b", None))
    changes = (ROOT / "CHANGELOG.md").read_text()
    bench.report("the change log knows the version", [] if f"## {version}" in changes else [f"no heading for {version}"])
    bench.done()


main()
