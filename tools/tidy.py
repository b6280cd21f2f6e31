"""Runs clang-tidy (the checks in .clang-tidy) over the library and launch/, or over the files named."""
import argparse
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src/", "launch/")

# clang 14 cannot read it: _Float16.
UNREADABLE = ("src/mpi/op/loops_usual.cpp", "src/mpi/op/loops_avx2.cpp", "src/mpi/op/loops_avx512.cpp")

# Options of gcc that clang takes for mistakes, or that make errors of clang's own warnings.
GCC_ONLY = ("-mtune-ctrl=", "-fgnu-unique", "-Werror")

# Without -O0 clang takes libc's inline functions for definitions, and ours of the same names for second ones.
# -Wthread-safety: src/base/thread_annotations.h.
CLANG_ONLY = ["-O0", "-Wthread-safety", "-Wno-thread-safety-negative"]


def commands_for_clang(build):
    """A folder with the compile commands of `build`, such as clang understands, and the files in it."""
    written = json.loads(pathlib.Path(build, "compile_commands.json").read_text())
    commands = list({c["file"]: c for c in written}.values())  # some files are parts of two programs
    for command in commands:
        options = shlex.split(command.pop("command"))
        command["arguments"] = [o for o in options if not o.startswith(GCC_ONLY)] + CLANG_ONLY
    folder = pathlib.Path(build, "tidy")
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    return folder, {pathlib.Path(c["directory"], c["file"]).resolve() for c in commands}


def is_checked(path):
    name = path.relative_to(ROOT).as_posix()
    return name.startswith(FOLDERS) and not name.startswith(UNREADABLE) \
        and name.endswith(".cpp") and not name.endswith("_test.cpp")


def main():
    parser = argparse.ArgumentParser(prog="./dev tidy", description=__doc__)
    parser.add_argument("--build", required=True, help="folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()

    commands, known = commands_for_clang(options.build)
    chosen = [pathlib.Path(f).resolve() for f in options.files] or sorted(filter(is_checked, known))

    def tidy(path):
        return subprocess.run(["clang-tidy-14", "--quiet", "-p", str(commands), str(path)],
                              capture_output=True, text=True)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for run in pool.map(tidy, chosen):
            if run.returncode or run.stdout.strip():
                print(run.stdout.strip() or run.stderr.strip(), flush=True)
            failed += run.returncode != 0
    return f"clang-tidy objects to {failed} of {len(chosen)} files" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
