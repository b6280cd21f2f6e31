#!/usr/bin/env python3
"""Writes src/mpi/error/error_texts.h, the standard's error classes with their texts.

    bindings/errors.py            writes it
    bindings/errors.py --check    fails if the file in the tree is not what it would write
"""
import json
import pathlib
import sys

import api

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "src" / "mpi" / "error" / "error_texts.h"

HEAD = """\
// error_texts.h — the standard's error classes, each with its name and its text (MPI 5.0 §9.4).
//
// Written by bindings/errors.py from spec/errors.json; do not edit.

#pragma once

#include <mpi.h>

namespace heddle::error {

struct ErrorText {
  int error_class;
  const char* name;  // "MPI_ERR_RANK"
  const char* text;  // "invalid rank"
};

// In the order of the classes' values.
inline constexpr ErrorText kErrorTexts[] = {
"""


def row(name, text):
    """Laid out as clang-format does it."""
    line = f'    {{{name}, "{name}", "{text}"}},\n'
    return line if len(line) <= 101 else f'    {{{name}, "{name}",\n     "{text}"}},\n'


def render():
    texts = json.loads((api.SPEC / "errors.json").read_text())
    rows = "".join(row(name, text) for name, text in texts.items())
    return f"{HEAD}{rows}}};\n\n}}  // namespace heddle::error\n"


def main():
    if "--check" in sys.argv:
        if OUTPUT.read_text() != render():
            sys.exit(f"{OUTPUT} does not follow from spec/errors.json: run bindings/errors.py")
        return
    OUTPUT.write_text(render())


if __name__ == "__main__":
    main()
