"""Each function that Heddle has in C exists in each of the three interfaces, under the standard's names (MPI 5.0 §19.1.5).

    names_test.py BINDINGS GENERATED ARCHIVE    BINDINGS: the folder of the generators; GENERATED: what they wrote
"""
import json
import pathlib
import re
import subprocess
import sys

bindings, generated, archive = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(bindings))
import api  # noqa: E402
import calls  # noqa: E402

# The standard gives these to C alone: the tools interface, conversions of handles and statuses, command lines.
ONLY_C = re.compile(r"MPI_T_|MPI_\w+_(c2f|f2c|toint|fromint|c2f08|f082c)$|MPI_DUP_FN")
# And these to Fortran alone.
ONLY_FORTRAN = ["MPI_F_sync_reg", "MPI_Sizeof"]
# MPI-1's names, and those of the time before large counts.
NOT_IN_F08 = {"MPI_Attr_delete", "MPI_Attr_get", "MPI_Attr_put", "MPI_Keyval_create", "MPI_Keyval_free", "MPI_Get_elements_x",
              "MPI_Status_set_elements_x", "MPI_Type_get_extent_x", "MPI_Type_get_true_extent_x", "MPI_Type_size_x"}


def main():
    symbols = set(re.findall(r" [TW] (\w+)", subprocess.run(["nm", "--defined-only", archive], capture_output=True, text=True, check=True).stdout))
    texts = {name: (generated / name).read_text().lower() for name in ("mpi.f90", "mpi_f08.f90")}
    choice = {e["name"] for e in json.loads((bindings.parent / "spec/fortran.json").read_text())
              if "DIMENSION(..)" in str(e.get("f08")) and e["name"] != "MPI_Sizeof"}
    wanted = [f for f in api.functions() if f.name in calls.implemented() and not ONLY_C.match(f.name)]
    missing = []

    def want(holds, sentence):
        if not holds:
            missing.append(sentence)

    def check(name, base, large):
        for prefix in ("", "P"):
            low = (prefix + base).lower()
            want(large or f"{low}_" in symbols or f"{low}_any_" in symbols, f"{low}_ is not in the archive")
            want(large or re.search(rf"(subroutine|function|interface) {low}\b", texts["mpi.f90"]),
                 f"{low} is not in module mpi")
            if base in NOT_IN_F08:
                continue
            specific = low + ("_c" if large else "") + "_f08" + ("ts" if base in choice else "")
            there = f"subroutine {specific}(" in texts["mpi_f08.f90"] or f"function {specific}(" in texts["mpi_f08.f90"]
            want(there or base == "MPI_Sizeof", f"{specific} is not in module mpi_f08")
            want(f"interface {low}\n" in texts["mpi_f08.f90"], f"{low} is no generic name of mpi_f08")
            want(f"{specific}_" in symbols or base == "MPI_Sizeof", f"{specific}_ is not in the archive")

    for function in wanted:
        # Sizes whose arguments are of the same kinds in Fortran are one procedure.
        if not function.large or f"{function.base.lower()}_c_f08" in texts["mpi_f08.f90"]:
            check(function.name, function.base, function.large)
    for name in ONLY_FORTRAN:
        check(name, name, False)
    if missing:
        sys.exit("\n".join(missing))
    print(f"{len(wanted)} functions have their names in Fortran")


main()
