#!/usr/bin/env python3
"""Writes functions.json, callbacks.json and fortran.json from the standard's machine-readable API description.

    pip install pympistandard && spec/import_api.py

Run by hand when the standard changes; the build reads only the JSON. What the description gets
wrong or leaves to errata is corrected here, each with its reason.
"""
import json
import pathlib

import pympistandard

HERE = pathlib.Path(__file__).parent

# Errata of MPI 5.0: partitioned initialization takes int counts and has `_c` twins.
POLY_BY_ERRATA = {("MPI_Psend_init", "count"), ("MPI_Precv_init", "count")}

# What the description says of an argument, and of the same argument of all functions of its kind otherwise.
CORRECTIONS = {
    ("MPI_Scatterv_init", "recvbuf"): {"root_only": False},
    ("MPI_Precv_init", "buf"): {"param_direction": "out"},
}

# Declarations that the description's own printer gets wrong.
DECLARATIONS = {
    ("MPI_Info_create_env", "argv"): "char *argv[]",
}

CHAPTERS = json.loads((HERE / "chapters.json").read_text())


def chapter_of(name):
    base = name.removesuffix("_c")
    for chapter, names in CHAPTERS.items():
        if base in names or name in names:
            return chapter
    raise SystemExit(f"{name} is in no chapter of spec/chapters.json")


def declaration(parameter):
    text = str(parameter)
    head, _, tail = text.rpartition(" ")
    stars = len(head) - len(head.rstrip("*"))
    return f"{head.rstrip('*').rstrip()} {'*' * stars}{tail}" if head else text


def describe_parameter(raw, small, large):
    name = raw["name"]
    entry = {"name": name, "kind": raw["kind"], "dir": raw["param_direction"]}
    entry["c"] = declaration(small)
    if large is not None and declaration(large) != entry["c"]:
        entry["large"] = declaration(large)
    if raw["length"] is not None:
        entry["length"] = raw["length"]
    if raw["large_only"]:
        entry["large_only"] = True
    if raw["root_only"]:
        entry["root_only"] = True
    return entry


def describe(procedure):
    raw = procedure._parseset
    for parameter in raw["parameters"]:
        if (raw["name"], parameter["name"]) in POLY_BY_ERRATA:
            parameter["kind"] = "POLYXFER_NUM_ELEM_NNI"
    small = {p.name: p for p in procedure.express.iso_c.parameters}
    has_large = any(p["kind"].startswith("POLY") for p in raw["parameters"])
    large = {p.name: p for p in procedure.express.embiggen.iso_c.parameters} if has_large else {}
    entry = {"name": raw["name"], "returns": procedure.express.iso_c.return_type}
    if has_large:
        entry["large"] = True
    entry["params"] = []
    for parameter in raw["parameters"]:
        if "c_parameter" in parameter["suppress"]:
            continue
        name, raw_kind = parameter["name"], parameter["kind"]
        shown = describe_parameter(parameter, small.get(name) or large[name], large.get(name))
        fixed = DECLARATIONS.get((raw["name"], name))
        if raw_kind == "VARARGS":
            fixed = "..."
        if fixed:
            shown["c"] = fixed
        entry["params"].append(shown)
    return entry


def declarations_f08(parameters):
    """{name: declaration} of mpi_f08's dummies. Names are functions.json's."""
    return {str(p.name).lower(): f"{p.descriptor} :: {p}" for p in parameters}


def describe_f08(procedure, has_large):
    """What mpi_f08 has: "f08" for the small size, "f08_c" for the large one."""
    entry = {"f08": declarations_f08(procedure.express.f08.parameters)}
    if has_large:
        entry["f08_c"] = declarations_f08(procedure.express.embiggen.f08.parameters)
    return entry


def describe_abstract(callback):
    """The abstract interfaces of a callback, in each size that it has."""
    poly = any(p["kind"].startswith("POLY") for p in callback._parseset["parameters"])
    for express in [callback.express] + ([callback.express.embiggen] if poly else []):
        if express.f08 is not None:
            yield {"name": express.f08.name, "abstract": True, "f08": declarations_f08(express.f08.parameters), "params": []}


def describe_fortran(procedure):
    """The arguments as mpif.h and module mpi have them: names as in functions.json, types, dimensions."""
    raw, f90 = procedure._parseset, procedure.express.f90
    entry = {"name": raw["name"], "returns": f90.return_type}
    if raw["attributes"]["f90_index_overload"]:
        entry["c_ptr"] = True  # a second specific procedure, with TYPE(C_PTR) for the address
    if raw["attributes"]["f08_expressible"]:
        entry |= describe_f08(procedure, any(p["kind"].startswith("POLY") for p in raw["parameters"]))
    entry["params"] = [{"name": p.name.lower(), "type": str(p.type), "dims": str(p)[len(p.name):]} for p in f90.parameters]
    return entry


def write(path, entries):
    blocks = []
    for entry in entries:
        params = ",\n".join("    " + json.dumps(p) for p in entry.pop("params"))
        head = json.dumps(entry)[:-1]
        blocks.append(f'{head}, "params": [\n{params}\n  ]}}' if params else f'{head}, "params": []}}')
    path.write_text("[\n  " + ",\n  ".join(blocks) + "\n]\n")
    print(f"{path}: {len(entries)} entries")


def main():
    pympistandard.use_api_version(1)
    functions, callbacks, fortran = [], [], []
    for procedure in sorted(pympistandard.PROCEDURES.values(), key=lambda p: p._parseset["name"].lower()):
        raw = procedure._parseset
        for parameter in raw["parameters"]:
            parameter.update(CORRECTIONS.get((raw["name"], parameter["name"]), {}))
        if raw["attributes"]["f90_expressible"]:
            fortran.append(describe_fortran(procedure))
        if not raw["attributes"]["c_expressible"]:
            continue
        entry = describe(procedure)
        entry = {"name": entry["name"], "chapter": chapter_of(entry["name"]), **entry}
        functions.append(entry)
    for callback in pympistandard.CALLBACKS.values():
        callbacks.append(describe(callback))
        fortran += describe_abstract(callback)
    write(HERE / "functions.json", functions)
    write(HERE / "callbacks.json", sorted(callbacks, key=lambda c: c["name"]))
    write(HERE / "fortran.json", fortran)


if __name__ == "__main__":
    main()
