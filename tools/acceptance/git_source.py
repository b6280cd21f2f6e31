"""Fetches a commit of a program's own repository, and builds what is in it."""
import shutil
import subprocess
import sys

PUBLISHED = "https://github.com"


def fetch_commit(repository, commit, work, sources, folders=()):
    """The folder in `work` with `commit` of OWNER/NAME; `sources`: a folder with clones, in place of the net, or None.
    `folders`: only these are needed."""
    folder = work / repository.replace("/", "-")
    present = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True) if folder.exists() else None
    if present and present.stdout.strip() == commit:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    origin = f"{sources.resolve() if sources else PUBLISHED}/{repository}"
    print(f"fetching {origin}", flush=True)
    for command in (["git", "clone", "--quiet", "--no-checkout", origin, folder],
                    *([["git", "-C", folder, "sparse-checkout", "set", *folders]] if folders else []),
                    ["git", "-C", folder, "checkout", "--quiet", "--detach", commit]):
        if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
            sys.exit(f"{' '.join(map(str, command))} failed")
    return folder


def must(log, *command, folder):
    """Runs a command of a build; ends if it fails."""
    if subprocess.run(list(map(str, command)), cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode:
        sys.exit(f"{' '.join(map(str, command))} failed; {log.name} says why")
