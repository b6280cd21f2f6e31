"""What gcc's code may call of its OpenMP library is in LLVM's, in our supplement, or is known to be refused by the linker.

    openmp_names.py BIN CC
"""
import glob
import pathlib
import re
import subprocess
import sys
import tempfile

# By release of gcc, from its list of built-in functions: what later releases call beyond those of gcc 12. The
# compiler that is installed is asked itself.
LATER = {
    13: ["GOMP_taskwait_depend_nowait"],
    14: ["GOMP_target_map_indirect_ptr"],
}
# No program of ours can have these with libomp. The reason is what a user must hear.
REFUSED = {
    r"GOACC_\w+|goacc_\w+|acc_\w+": "OpenACC",
    r"GOMP_offload_(un)?register_ver": "code for devices",
    r"GOMP_scope_start": "task reductions of scope",
    r"GOMP_enable_pinned_mode": "pinned memory",
}


def exported(library):
    text = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines() if line.strip()}


def supplied(archive):
    text = subprocess.run(["nm", "-g", "--defined-only", archive], check=True, capture_output=True, text=True).stdout
    return {words[2] for words in map(str.split, text.splitlines()) if len(words) == 3 and words[1] == "T"}


def called_by(compiler):
    """The names of built-in functions lie in the compiler proper."""
    proper = subprocess.run([compiler, "-print-prog-name=cc1"], check=True, capture_output=True, text=True).stdout.strip()
    pattern = rb"\0__builtin_((?:GOMP|GOACC|omp|goacc|acc)_\w+)(?=\0)"
    return {name.decode() for name in re.findall(pattern, b"\0" + pathlib.Path(proper).read_bytes())}


def is_refused(name):
    return any(re.fullmatch(pattern, name) for pattern in REFUSED)


def check_names(compiler, archive):
    called = called_by(compiler) if "clang" not in compiler else set()
    assert "clang" in compiler or len(called) > 100, f"only {len(called)} names were found in {compiler}"
    called |= {name for names in LATER.values() for name in names}
    ours = supplied(archive)
    libraries = {str(pathlib.Path(path).resolve()) for path in glob.glob("/usr/lib/llvm-*/lib/libomp.so.5")}
    for library in sorted(libraries):
        missing = {name for name in called - exported(library) - ours if not is_refused(name)}
        assert not missing, f"{library} and our supplement lack {sorted(missing)}, which gcc's code calls"
        print(f"{library}: {len(called)} names, {len(called & ours - exported(library))} of them ours")
    assert not {name for name in ours if is_refused(name)}, "a name is both supplied and refused"


def link(mpicc, folder, name, text, words=()):
    (folder / f"{name}.c").write_text(text)
    return subprocess.run([mpicc, "-fopenmp", "-o", folder / name, folder / f"{name}.c", *words], capture_output=True, text=True)


def needed(program):
    text = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"NEEDED.*\[(.*)\]", text))


def check_links(mpicc, compiler):
    if not pathlib.Path("/usr/lib/x86_64-linux-gnu/libomp.so.5").exists():
        return
    libgomp = subprocess.run([compiler, "-print-file-name=libgomp.so"], capture_output=True, text=True).stdout.strip()
    target = "int main(void) {\n int w = 0;\n#pragma omp target nowait map(tofrom: w)\n w = 5;\n#pragma omp taskwait\n return w != 5;\n}\n"
    refused = "void GOMP_scope_start(void *);\nint main(void) {\n GOMP_scope_start(0);\n return 0;\n}\n"
    with tempfile.TemporaryDirectory(prefix="heddle_openmp_") as name:
        folder = pathlib.Path(name)
        for words in ((), (libgomp,), ("-lgomp",)):
            result = link(mpicc, folder, "target", target, words)
            assert result.returncode == 0, result.stderr
            assert {"libomp.so.5"} == {n for n in needed(folder / "target") if "omp" in n}, needed(folder / "target")
            assert subprocess.run([folder / "target"]).returncode == 0
        result = link(mpicc, folder, "refused", refused)
        assert result.returncode != 0 and "GOMP_scope_start" in result.stderr, result.stderr
        # A library of which nothing is to be found: access() says so.
        (folder / "hide.c").write_text('#include <string.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n'
                                       'int access(const char *path, int mode) {\n'
                                       ' return strstr(path, "libomp") ? -1 : (int)syscall(SYS_access, path, mode);\n}\n')
        subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "hide.so", folder / "hide.c"], check=True)
        for chosen, told in (("", 1), ("gnu", 0)):
            result = subprocess.run(["env", f"LD_PRELOAD={folder}/hide.so", f"HEDDLE_OPENMP={chosen}", mpicc, "-fopenmp", "-o",
                                     folder / "fallen", folder / "target.c"], capture_output=True, text=True)
            assert result.returncode == 0 and result.stderr.count("\n") == told, result.stderr
            assert ("libomp5" in result.stderr) == bool(told), result.stderr
            assert "libgomp.so.1" in needed(folder / "fallen")


def main():
    folder, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    check_names(compiler, folder.parent / "lib" / "libheddle_openmp.a")
    check_links(folder / "mpicc", compiler)


main()
