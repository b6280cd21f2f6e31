#!/usr/bin/env python3
"""Writes src/base/settings_table.h and docs/reference/settings.md, both from spec/settings.json.

    bindings/settings.py            writes them
    bindings/settings.py --check    fails if the files in the tree are not what it would write
"""
import json
import pathlib
import sys

import api

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAXIMUM = 2**63 - 1

TABLE = """\
// settings_table.h — every setting there is, and an enum for the values of those with choices.
//
// Written by bindings/settings.py from spec/settings.json; do not edit.

#pragma once

#include <array>
#include <cstdint>

#include "base/setting.h"

namespace heddle::settings {{

{ids}
{enums}
// Indexed by Id.
inline constexpr std::array<Setting, {count}> kTable = {{{{
{rows}
}}}};

}}  // namespace heddle::settings
"""

PAGE = """\
# Settings

Written by `bindings/settings.py` from `spec/settings.json`; do not edit. These are environment variables of mpiexec, or
of a program that is started without it. The library reads them once, when it is loaded. A wrong value is refused before
anything starts: mpiexec ends with status 2, MPI_Init and MPIX_Run fail. mpiexec warns of `HEDDLE_` variables that are
not listed here. Tools see those that the library reads as control variables of the same names
([measuring.md](../guide/measuring.md)).

| variable | values | default | |
|---|---|---|---|
{rows}
Sizes take a suffix: `8k`, `1M`, `2G` are 8192, 1048576 and 2147483648.
"""


def words(setting):
    return [word.capitalize() for word in setting["name"].removeprefix("HEDDLE_").split("_")]


def quoted(text):
    """A C string, broken into lines that fit."""
    lines, line = [], ""
    for word in text.split(" "):
        if len(line) + len(word) > 85:
            lines.append(line)
            line = ""
        line += word + " "
    lines.append(line[:-1])
    return "\n     ".join(f'"{each}"' for each in lines)


def enum_class(name, values):
    """On one line, or a value a line where that is too long."""
    line = f"enum class {name} : std::uint8_t {{ {', '.join(values)} }};\n"
    if len(line) <= 101:
        return line
    return f"enum class {name} : std::uint8_t {{\n" + "".join(f"  {v},\n" for v in values) + "};\n"


def enum_of(setting):
    if setting["type"] != "choice":
        return ""
    values = ["k" + "".join(word.capitalize() for word in choice.split("_"))
              for choice in setting["choices"]]
    return enum_class("".join(words(setting)), values)


def row(setting):
    choices = ", ".join(f'"{choice}"' for choice in setting.get("choices", []))
    most = setting.get("most", 0)
    most = "INT64_MAX" if most == MAXIMUM else str(most)
    fallback = setting["default"] if setting["type"] != "command" else ""
    return (f'    {{"{setting["name"]}",\n     "{setting.get("option", "")}",\n     "{setting["topic"]}",\n'
            f'     {quoted(setting["text"])},\n     Type::k{setting["type"].capitalize()},\n'
            f'     Audience::k{setting["audience"].capitalize()},\n'
            f'     {str(setting["reader"] == "library").lower()},\n     "{fallback}",\n'
            f'     "{setting.get("unit", "")}",\n     {setting.get("least", 0)},\n     {most},\n'
            f'     {{{choices}}}}},')


def render_table(settings):
    return TABLE.format(ids=enum_class("Id", ["k" + "".join(words(s)) for s in settings]), count=len(settings),
                        enums="".join(map(enum_of, settings)), rows="\n".join(map(row, settings)))


def allowed(setting):
    if setting["type"] == "choice":
        return ", ".join(f"`{choice}`" for choice in setting["choices"])
    if setting["type"] == "file":
        return "a file"
    if setting["type"] == "command":
        return f"a command; for {setting['reader']}"
    text = f"{setting['unit']} from {setting['least']} on"
    return text if setting["most"] == MAXIMUM else text.replace(" on", f" to {setting['most']}")


def page_row(setting):
    option = f", `{setting['option']}`" if "option" in setting else ""
    default = setting["default"] if setting["type"] in ("command", "file") else f"`{setting['default']}`"
    return f"| `{setting['name']}`{option} | {allowed(setting)} | {default} | {setting['text']} |\n"


def outputs():
    settings = json.loads((api.SPEC / "settings.json").read_text())
    return {ROOT / "src/base/settings_table.h": render_table(settings),
            ROOT / "docs/reference/settings.md": PAGE.format(rows="".join(map(page_row, settings)))}


def main():
    for path, text in outputs().items():
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path} does not follow from spec/settings.json: run bindings/settings.py")


if __name__ == "__main__":
    main()
