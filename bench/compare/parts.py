"""Questions that have scripts of their own: `./dev bench report` runs them, and takes over the table that each prints."""
import dataclasses
import re
import subprocess
import sys

import mpis


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    title: str
    command: tuple  # below the root of the repository
    has_rounds: bool = True

    def line(self, rounds):
        return [*self.command, *(("--rounds", str(rounds)) if self.has_rounds else ())]


PARTS = {part.name: part for part in (
    Part("network", "Two nodes, which are network namespaces of this machine, by TCP: us", ("bench/net/beside.py",)),
    Part("balance", "mpiexec --balance where loads are uneven", ("bench/balance/measure.py",)),
    Part("heap", "A malloc and a free by 64 ranks: ns of processor time", ("bench/heap/measure.py",)),
    Part("instructions", "Instructions of a message among four neighbours, 16 ranks on one worker",
         ("bench/p2p/instructions.py",), has_rounds=False),
)}


def run(part, rounds):
    """What the script prints, or nothing where it fails."""
    done = subprocess.run([sys.executable, *part.line(rounds)], cwd=mpis.ROOT, stdout=subprocess.PIPE, text=True)
    return done.stdout if done.returncode == 0 else ""


def rows(output):
    """The lines of its table, below its head, by their first cells."""
    lines = [line for line in output.splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")] for line in lines]
    return {first: others for first, *others in cells}


def section(part, output, rounds):
    table = "\n".join(line for line in output.splitlines() if line.startswith("|"))
    return f"### {part.title}\n\n`python3 {' '.join(part.line(rounds))}`\n\n" + (table or "```\n" + output.rstrip() + "\n```") + "\n"


def number(pattern, output):
    found = re.search(pattern, output, re.MULTILINE)
    return float(found[1]) if found else None
