"""archive.py [FILE]    packs this folder with its license into FILE, by default threads-suite.tar.gz: all that the suite needs."""
import pathlib
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
NAME = "threads-suite"  # the folder in the archive


def files():
    """What belongs to the suite, and not what it has built or measured."""
    kinds = ("*.c", "*.h", "*.py", "Makefile", "README.md", "LICENSE")
    return sorted({path for kind in kinds for path in HERE.glob(kind)})


def main(target=f"{NAME}.tar.gz"):
    licenses = [path for path in (HERE / "LICENSE", HERE.parent.parent / "LICENSE") if path.exists()][:1]
    if not licenses:
        sys.exit(f"archive.py: there is no LICENSE in {HERE}")
    with tarfile.open(target, "w:gz") as archive:
        for path in dict.fromkeys([*files(), *licenses]):
            archive.add(path, f"{NAME}/{path.name}")
    print(f"written: {target}")


if __name__ == "__main__":
    main(*sys.argv[1:])
