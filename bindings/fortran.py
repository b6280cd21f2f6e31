#!/usr/bin/env python3
"""Writes the Fortran bindings of the implemented functions: mpif.h, modules mpi and mpi_f08, and C wrappers.

    bindings/fortran.py --out DIR    writes DIR/mpif.h, DIR/mpi.f90, DIR/mpi_f08.f90 and DIR/wrappers/*.c
    bindings/fortran.py --list       prints the names of the wrappers' files

Input: spec/fortran.json (the arguments in Fortran), functions.json (what they mean), constants.json and
spec/calls/*.calls (what is implemented). See bindings/fortran/README.md. Runs at every build that changes the input.
"""
import argparse
import json
import pathlib

import api
import calls
import fortran_interfaces
import fortran_wrappers
from generate import write_if_changed

# Written in bindings/fortran/*.c: callbacks with a state, attributes, strings whose length counts differently.
BY_HAND = {
    "MPI_Attr_get", "MPI_Attr_put", "MPI_Comm_create_keyval", "MPI_Comm_get_attr", "MPI_Comm_set_attr",
    "MPI_F_sync_reg", "MPI_Grequest_start", "MPI_Info_get", "MPI_Info_get_string", "MPI_Keyval_create", "MPI_Register_datarep",
    "MPI_Session_get_nth_pset", "MPI_Sizeof", "MPI_Status_f082f", "MPI_Status_f2f08", "MPI_Type_create_keyval", "MPI_Type_get_attr", "MPI_Type_set_attr",
    "MPI_Win_create_keyval", "MPI_Win_get_attr", "MPI_Win_set_attr"}


class Procedure:
    """One procedure of mpif.h and module mpi, with the C function that it calls."""

    def __init__(self, entry, functions):
        self.name = entry["name"]
        self.returns = entry["returns"]
        self.params = entry["params"]
        self.has_c_ptr = entry.get("c_ptr", False)
        function = functions.get(self.name)
        # Counts that are MPI_Count in the one Fortran size (MPI_Psend_init) are so only in C's large one.
        large = functions.get(self.name + "_c")
        if large and any(p["type"].endswith("MPI_COUNT_KIND)") and function.param(p["name"]) and
                         function.param(p["name"]).type == "int" for p in self.params):
            function = large
        self.function = function
        self.f08 = entry.get("f08")     # {name: declaration}; MPI-1's attributes have none
        self.large = functions.get(self.name + "_c") if "f08_c" in entry else None
        self.f08_c = entry.get("f08_c") if self.large else None

    @property
    def has_descriptors(self):
        """Whether mpi_f08's procedure has choice buffers, which may be array sections: its name ends with _f08ts."""
        return self.f08 is not None and any("DIMENSION(..)" in d for d in self.f08.values()) and self.name != "MPI_Sizeof"

    @property
    def by_hand(self):
        return self.name in BY_HAND


def procedures():
    """Those that exist in C, and those that C does not have."""
    implemented = calls.implemented()
    functions = {f.name: f for f in api.functions()}
    for entry in json.loads((api.SPEC / "fortran.json").read_text()):
        if entry["name"] in implemented or entry["name"] in BY_HAND and entry["name"] not in functions:
            yield Procedure(entry, functions)


def abstract_interfaces():
    """(name, {argument: declaration}) of mpi_f08's callbacks."""
    for entry in json.loads((api.SPEC / "fortran.json").read_text()):
        if entry.get("abstract"):
            yield entry["name"], entry["f08"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    everything = list(procedures())
    written = [p for p in everything if not p.by_hand]
    files = [file for p in written for file in fortran_wrappers.files(p)]
    if arguments.list:
        print(";".join(name for name, _ in files))
        return
    folder = arguments.out / "wrappers"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files:
        write_if_changed(folder / name, text)
    write_if_changed(arguments.out / "mpif.h", fortran_interfaces.mpif_h())
    write_if_changed(arguments.out / "mpi.f90", fortran_interfaces.module_mpi(everything))
    write_if_changed(arguments.out / "mpi_f08.f90", fortran_interfaces.module_f08(everything, abstract_interfaces()))


if __name__ == "__main__":
    main()
