"""Writes a man page: a template of this folder with the options that the program itself tells.

    write_page.py TEMPLATE OUTPUT VERSION PROGRAM [QUESTION]

PROGRAM QUESTION prints a line an option, "  NAMES VALUES  what it does": mpiexec --help, mpicc -showme:help. So the page
cannot name an option that does not exist, or miss one. Settings come from spec/settings.json.
"""
import json
import pathlib
import re
import subprocess
import sys

SETTINGS = pathlib.Path(__file__).resolve().parents[2] / "spec/settings.json"


def roff(text):
    """Text as troff must be given it: dashes that can be copied, no accidental request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def option_lines(text):
    """(names, values, what it does) of each option that the program's own help has."""
    for line in text.splitlines():
        found = re.fullmatch(r"  (-\S+(?: -\S+)*)((?: [^- ]\S*)*)  +(\S.*)", line)
        if found:
            yield found[1].split(), found[2].strip(), found[3]


def sentence(text):
    return text[0].upper() + text[1:] + "."


def options(text):
    entries = []
    for names, values, what in option_lines(text):
        value = f" \\fI{roff(values)}\\fR" if values else ""
        head = ", ".join(f"\\fB{roff(name)}\\fR" for name in names)
        entries.append(f".TP\n{head}{value}\n{roff(sentence(what))}\n")
    return "".join(entries)


def settings(reader):
    entries = []
    for each in json.loads(SETTINGS.read_text()):
        if each["reader"] in reader:
            default = "" if each["type"] == "command" else f" Default: {roff(each['default'])}."
            entries.append(f".TP\n\\fB{each['name']}\\fR\n{roff(each['text'])}{default}\n")
    return "".join(entries)


def main():
    template, output, version, *command = sys.argv[1:]
    told = subprocess.run(command, text=True, capture_output=True, check=True).stdout
    page = pathlib.Path(template).read_text()
    for name, text in (("OPTIONS", options(told)), ("SETTINGS_OF_LIBRARY", settings({"library"})),
                       ("SETTINGS_OF_WRAPPERS", settings({"mpicc", "mpicxx", "mpifort"}))):
        page = page.replace(f"@{name}@\n", text)
    pathlib.Path(output).write_text(page.replace("@VERSION@", version))


main()
