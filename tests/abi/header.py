"""What the tests of include/mpi.h share: which names it declares, and their values."""
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "mpi.h"

# Types whose size and layout the ABI fixes.
TYPES = ("MPI_Aint", "MPI_Offset", "MPI_Count", "MPI_Status", "MPI_Comm", "MPI_Datatype", "MPI_Errhandler",
         "MPI_File", "MPI_Group", "MPI_Info", "MPI_Message", "MPI_Op", "MPI_Request", "MPI_Session",
         "MPI_Win", "MPI_T_cb_safety", "MPI_T_source_order", "MPI_T_enum", "MPI_T_cvar_handle",
         "MPI_T_pvar_handle", "MPI_T_pvar_session", "MPI_T_event_registration",
         "MPI_T_event_instance")
STATUS_FIELDS = ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "MPI_internal")


def declared(text):
    """The prototypes of a header: name to declaration, PMPI_ ones included."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    found = re.findall(r"^((?:int|double|MPI_\w+)\s+\**(P?MPI_\w+)\s*\([^;{]*?\))\s*;", text, re.M)
    return {name: re.sub(r"\s+", " ", declaration) for declaration, name in found}


def compile_c(source, *flags, run=False, only="-fsyntax-only"):
    """Compiles C text, as far as `only` says; returns the compiler's complaints, or with `run` what the program prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "test.c"
        path.write_text(source)
        output = pathlib.Path(folder) / "test"
        command = ["cc", *flags, *([] if run else [only]), str(path)]
        if run or only == "-c":
            command += ["-o", str(output)]
        made = subprocess.run(command, capture_output=True, text=True)
        if not run:
            return made.stderr
        if made.returncode:
            raise AssertionError(made.stderr)
        return subprocess.run([str(output)], capture_output=True, text=True, check=True).stdout


def values(include, constants, *flags):
    """What a program sees of a header, one line a fact: "MPI_INT 521", "sizeof MPI_Status 32"."""
    lines = [f'  printf("{name} %lld\\n", (long long)(intptr_t){name});' for name in constants]
    lines += [f'  printf("sizeof {name} %zu\\n", sizeof({name}));' for name in TYPES]
    lines += [f'  printf("offsetof {name} %zu\\n", offsetof(MPI_Status, {name}));'
              for name in STATUS_FIELDS]
    body = "\n".join(lines)
    source = ("#include <stddef.h>\n#include <stdio.h>\n"
              f"#include {include}\nint main(void) {{\n{body}\n  return 0;\n}}\n")
    return compile_c(source, *flags, run=True)
