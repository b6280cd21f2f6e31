#!/usr/bin/env python3
"""Writes the C entry points of the implemented functions.

    bindings/generate.py --out DIR        writes DIR/<calls file>.cpp and DIR/handle_names.cpp
    bindings/generate.py --list           prints the names of the files it would write

Input: spec/functions.json (the API table) and spec/calls/*.calls (what implements a function).
See bindings/README.md. Runs at every build that changes the input; needs only Python 3.
"""
import argparse
import fnmatch
import json
import pathlib

import api
import calls
import shell

HEAD = """\
// From spec/calls/{stem}.calls by bindings/generate.py. Do not edit.

{includes}

#define HEDDLE_EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace heddle {{

using namespace api;

extern "C" {{

{functions}

}}  // extern "C"

}}  // namespace heddle
"""

NAMES = """\
// From spec/constants.json by bindings/generate.py. Do not edit.

#include "api/handle_names.h"

namespace heddle::api {{

const char* constant_name(object::HandleBits handle) noexcept {{
  switch (handle) {{
{cases}
    default: return nullptr;
  }}
}}

}}  // namespace heddle::api
"""


# Files whose functions take turns by themselves. Each message goes through them.
COMMUNICATION = {"collectives", "p2p", "requests"}


def mark_phase(call, anytime):
    """Sets when the function may be called; a `before_init` in its line needs no rank either."""
    def among(patterns):
        return any(fnmatch.fnmatch(call.name, pattern) for pattern in patterns)
    call.needs_rank = among(anytime["use_a_rank"])
    call.anytime |= call.needs_rank or among(anytime["use_none"])


def generate_file(source, functions, anytime):
    includes = {"api/entry.h", "api/handles.h", *source.includes}
    texts = []
    for call in source.calls:
        mark_phase(call, anytime)
        call.communicates = source.stem in COMMUNICATION
        for name in (call.name, call.name + "_c"):
            if name in functions:
                made = shell.Shell(functions[name], call, functions.get(call.name + "_c"))
                texts.append(made.render())
                includes |= made.includes
    lines = "\n".join(f'#include "{name}"' for name in sorted(includes))
    return HEAD.format(stem=source.stem, includes=lines, functions="\n\n".join(texts))


def generate_names():
    cases = []
    for group in api.constants():
        is_handle = group.get("type", "").startswith("MPI_")
        for name, value in (v[:2] for v in group["values"] if is_handle):
            if value.startswith("0x"):
                cases.append(f'    case {value}: return "{name}";')
    return NAMES.format(cases="\n".join(cases))


def write_if_changed(path, text):
    """An untouched file is not compiled again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--calls", type=pathlib.Path, default=api.SPEC / "calls")
    arguments = parser.parse_args()
    if arguments.list:
        stems = sorted(path.stem for path in arguments.calls.glob("*.calls"))
        print(";".join(f"{stem}.cpp" for stem in stems + ["handle_names"]))
        return
    functions = {f.name: f for f in api.functions()}
    anytime = json.loads((api.SPEC / "anytime.json").read_text())
    arguments.out.mkdir(parents=True, exist_ok=True)
    for source in calls.read_all(arguments.calls):
        text = generate_file(source, functions, anytime)
        write_if_changed(arguments.out / f"{source.stem}.cpp", text)
    write_if_changed(arguments.out / "handle_names.cpp", generate_names())


if __name__ == "__main__":
    main()
