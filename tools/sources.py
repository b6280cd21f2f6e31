"""Which files of the repository are its own sources (not generated, not built, not fetched)."""
import pathlib

FOLDERS = ("src", "include", "bindings", "launch", "tests", "examples", "bench", "tools", "cmake")
GENERATED = ("include/mpi.h",)


def own_files(root, suffixes, folders=FOLDERS):
    root = pathlib.Path(root)
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in suffixes and path.is_file() and name not in GENERATED:
                yield path
