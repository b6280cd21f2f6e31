"""Runs clang-tidy (the checks in .clang-tidy) over the library's sources, or over those named."""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys

# clang 14 cannot read these: functions of libc defined anew, and _Float16.
UNREADABLE = ("src/exec/libc/image/", "src/mpi/op/kernels.cpp")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="folder with compile_commands.json")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()

    commands = json.loads(pathlib.Path(options.build, "compile_commands.json").read_text())
    root = pathlib.Path(__file__).resolve().parent.parent
    known = {pathlib.Path(c["directory"], c["file"]).resolve() for c in commands}
    if options.files:
        chosen = [pathlib.Path(f).resolve() for f in options.files]
    else:
        chosen = sorted(f for f in known if f.is_relative_to(root / "src") and f.suffix == ".cpp"
                        and not f.name.endswith("_test.cpp")
                        and not f.relative_to(root).as_posix().startswith(UNREADABLE))

    def tidy(path):
        return subprocess.run(["clang-tidy-14", "--quiet", "-p", options.build, str(path)],
                              capture_output=True, text=True)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for run in pool.map(tidy, chosen):
            if run.stdout.strip():
                print(run.stdout.strip())
            failed += run.returncode != 0
    return f"clang-tidy objects to {failed} of {len(chosen)} files" if failed else 0


if __name__ == "__main__":
    sys.exit(main())
