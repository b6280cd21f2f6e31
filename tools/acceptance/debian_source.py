"""Fetches the original tarball of a Debian source package, and builds what is in it."""
import pathlib
import subprocess
import sys


def _sources_list(folder):
    """deb-src lines for the places that this machine has packages from."""
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
         "Created-By: Packages"], capture_output=True, text=True, check=True).stdout
    lines = {f"deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {line}\n"
             for line in targets.splitlines() if "debian" in line}
    path = folder / "sources.list"
    path.write_text("".join(sorted(lines)))
    return path


def _private_apt(folder):
    """Options for an apt whose state lies in `folder`: needs no root, changes no setting."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return ["-o", f"Dir::Etc::SourceList={_sources_list(folder)}",
            "-o", "Dir::Etc::SourceParts=/dev/null",
            "-o", f"Dir::State::Lists={folder / 'lists'}", "-o", f"Dir::Cache={folder / 'cache'}",
            "-o", "APT::Sandbox::User=root"]


def fetch_original(package, work):
    """Path of the package's original tarball in `work`, fetched if it is not there."""
    work.mkdir(parents=True, exist_ok=True)
    present = sorted(work.glob(f"{package}_*.orig.tar.*"))
    if present:
        return present[-1]
    print(f"fetching the original source of Debian's package {package}", flush=True)
    apt = _private_apt(pathlib.Path(work, "apt"))
    log = work / "fetch.log"
    with open(log, "w") as output:
        for command in (["update"], ["source", "--tar-only", package]):
            run = subprocess.run(["apt-get", "-q", *apt, *command], cwd=work, stdout=output,
                                 stderr=subprocess.STDOUT)
            if run.returncode:
                sys.exit(f"apt-get {command[0]} failed:\n{log.read_text()[-2000:]}")
    return sorted(work.glob(f"{package}_*.orig.tar.*"))[-1]


def build_once(package, work, prefix, commands):
    """The package's unpacked source in `work`, where each (folder, command) has succeeded; built anew for another prefix."""
    tarball = fetch_original(package, work)
    source = work / "source"
    stamp = work / "built-for"
    if stamp.exists() and stamp.read_text() == str(prefix):
        return source
    print(f"building {package} with the compilers of {prefix / 'bin'}", flush=True)
    stamp.unlink(missing_ok=True)
    subprocess.run(["rm", "-rf", source], check=True)
    source.mkdir()
    subprocess.run(["tar", "-xf", tarball, "--strip-components=1"], cwd=source, check=True)
    with open(work / "build.log", "w") as log:
        for folder, command in commands:
            if subprocess.run(command, cwd=source / folder, stdout=log, stderr=log).returncode:
                sys.exit(f"{' '.join(command)} failed: see {log.name}")
    stamp.write_text(str(prefix))
    return source
