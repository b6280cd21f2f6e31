"""An mpiexec for suites that have scripts of their own: it notes how each run ended, and the scripts go on after a failure."""
import collections
import re

Run = collections.namedtuple("Run", "ended output command")  # `ended`: "0", another status, or what it printed

MPIEXEC = r"""#!/bin/sh
output=$(mktemp {folder}/XXXXXX.txt)
timeout -k 10 {limit} {mpiexec} "$@" > "$output" 2>&1 < /dev/null
ended=$?
cat "$output"
if [ $ended = 0 ] && grep -Eqi '{wrong}' "$output"; then ended=$(grep -Eim1 '{wrong}' "$output" | tr -d '\t'); fi
printf '%s\t%s\t%s\n' "$ended" "$output" "$*" >> {folder}/runs
exit 0
"""


class NotedRuns:
    """The script at `path`, which a suite's configure has been told, and the record of its runs."""

    def __init__(self, path, folder, mpiexec, limit, wrong="^$^"):
        """`limit`: seconds for a run. `wrong`: what a program must not print, as grep -Ei takes it; no apostrophes."""
        self.record = folder / "runs"
        folder.mkdir(parents=True, exist_ok=True)
        for old in [*folder.glob("*.txt"), self.record]:
            old.unlink(missing_ok=True)
        path.write_text(MPIEXEC.format(folder=folder, limit=limit, mpiexec=" ".join(map(str, mpiexec)), wrong=wrong))
        path.chmod(0o755)

    def runs(self):
        lines = self.record.read_text(errors="replace").splitlines() if self.record.exists() else []
        return [Run(*line.split("\t", 2)) for line in lines]

    def complaints(self, least, listed):
        """What is wrong: a run that failed and that no pattern of `listed` names, or fewer runs than `least`.

        `listed`: why a run is known to fail, by what its command or its end match."""
        runs, known, bad = self.runs(), 0, []
        for run in runs:
            if run.ended == "0":
                continue
            why = [reason for pattern, reason in listed.items() if re.search(pattern, run.command)]
            known += bool(why)
            if not why:
                with open(run.output, errors="replace") as output:
                    bad.append(f"{run.command}: {run.ended}: {output.read()[-600:]}")
        print(f"  {len(runs)} runs, {len(runs) - known - len(bad)} passed, {known} failed as listed, {len(bad)} failed", flush=True)
        if len(runs) < least:
            bad.append(f"{len(runs)} runs, and there must be {least}")
        return bad
