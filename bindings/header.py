#!/usr/bin/env python3
"""Writes include/mpi.h, the header of the MPI 5.0 standard ABI, from spec/.

    bindings/header.py            writes it
    bindings/header.py --check    fails if the file in the tree is not what it would write

The text around the data stands in bindings/mpi.h.in; @name@ there is replaced by what the function
emit_name below returns.
"""
import pathlib
import sys

import api

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "bindings" / "mpi.h.in"
OUTPUT = ROOT / "include" / "mpi.h"

# Groups that need types declared later in the header.
AFTER_CALLBACKS = ("Predefined callbacks",)
TOOLS = ("Handles of the tools interface", "Callback safety levels of events",
         "Orderings of event sources")


def value_text(group, value):
    name, text, *own_type = value
    c_type = own_type[0] if own_type else group.get("type")
    if c_type is None:
        return f"({text})" if text.startswith("-") else text
    if text.startswith("MPI_"):  # another name of the same handle
        return text
    if c_type.startswith("MPI_") and not c_type.endswith("*") and text.startswith("0x"):
        text = f"0x{int(text, 16):08x}"
    return f"(({c_type}){text})"


def emit_group(group):
    lines = [f"/* {group['title']} */"]
    if "enum" in group:
        values = ",\n".join(f"  {name} = {text}" for name, text in group["values"])
        return f"{lines[0]}\ntypedef enum {group['enum']} {{\n{values}\n}} {group['enum']};"
    for value in group["values"]:
        lines.append(f"#define {value[0]:<31} {value_text(group, value)}")
    return "\n".join(lines)


def emit_groups(wanted):
    return "\n\n".join(emit_group(g) for g in api.constants() if wanted(g["title"]))


def emit_constants():
    return emit_groups(lambda title: title not in AFTER_CALLBACKS + TOOLS)


def emit_predefined_callbacks():
    return emit_groups(lambda title: title in AFTER_CALLBACKS)


def emit_tool_constants():
    return emit_groups(lambda title: title in TOOLS)


def emit_callbacks(tools):
    lines = []
    for callback in api.callbacks():
        if callback.name.startswith("MPI_T_") == tools:
            args = ", ".join(p.c for p in callback.params)
            lines.append(api.wrap(f"typedef {callback.returns} ({callback.name})({args});"))
    return "\n".join(lines)


def emit_prototypes(prefix, in_abi):
    blocks = []
    functions = [f for f in api.functions() if f.in_abi == in_abi]
    for chapter in api.chapters():
        lines = [api.wrap(f.prototype(prefix) + ";") for f in functions if f.chapter == chapter]
        if lines:
            blocks.append(f"/* {chapter.replace('_', ' ')} */\n" + "\n".join(lines))
    return "\n\n".join(blocks)


def render():
    text = TEMPLATE.read_text()
    parts = {
        "constants": emit_constants(),
        "callbacks": emit_callbacks(tools=False),
        "predefined_callbacks": emit_predefined_callbacks(),
        "tool_constants": emit_tool_constants(),
        "tool_callbacks": emit_callbacks(tools=True),
        "functions": emit_prototypes("", in_abi=True),
        "profiling_functions": emit_prototypes("P", in_abi=True),
        "conversions": emit_prototypes("", in_abi=False),
        "profiling_conversions": emit_prototypes("P", in_abi=False),
    }
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def main():
    text = render()
    if "--check" in sys.argv:
        if OUTPUT.read_text() != text:
            sys.exit("include/mpi.h does not follow from spec/: run bindings/header.py")
        return
    OUTPUT.write_text(text)


if __name__ == "__main__":
    main()
