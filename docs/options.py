#!/usr/bin/env python3
"""Writes the options of `feedfs mount` into docs/mounting.md and docs/feedfs.1, as the program describes them.

usage: options.py FEEDFS [--check]    with --check: changes nothing, and ends with 1 if a page differs

Each page has a line where the options begin and one where they end. The text between them is written here.
"""
import json
import pathlib
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parent
# Of each page: the line above the options, and the line below them.
PAGES = {
    "mounting.md": ("<!-- options of mount: `make options` -->", "<!-- end of options -->"),
    "feedfs.1": ('.\\" Options of mount: `make options`', '.\\" End of options.'),
}


class Option:
    """One line of `feedfs mount --help`."""

    def __init__(self, argument):
        self.names = ["-" * (2 if name["kind"] == "long" else 1) + name["name"] for name in argument["names"]]
        self.names.sort(key=len, reverse=True)
        self.meaning = argument["abstract"]
        values = argument.get("allValues")
        self.value = None if argument["kind"] == "flag" else "|".join(values) if values else argument["valueName"]


def options(feedfs):
    """Returns the options of `feedfs mount`, without those that each command has."""
    dump = subprocess.run([feedfs, "--experimental-dump-help"], capture_output=True, check=True, timeout=20)
    commands = json.loads(dump.stdout)["command"]["subcommands"]
    mount = next(command for command in commands if command["commandName"] == "mount")
    found = []
    for argument in mount["arguments"]:
        if argument["kind"] == "positional" or not argument["shouldDisplay"]:
            continue
        option = Option(argument)
        if option.names[0] in ("--help", "--version"):
            continue
        # A flag and its opposite have one description.
        if found and found[-1].meaning == option.meaning:
            found[-1].names += option.names
        else:
            found.append(option)
    return found


def table(found):
    """Returns the options as a table in Markdown."""
    lines = ["| option | meaning |", "|---|---|"]
    for option in found:
        value = "" if option.value is None else f" <{option.value}>"
        names = ", ".join(f"`{name}{value}`" for name in option.names)
        cells = (cell.replace("|", "\\|") for cell in (names, option.meaning))
        lines.append("| {} | {} |".format(*cells))
    return lines


def manual(found):
    """Returns the options as lines of a manual page."""
    lines = []
    for option in found:
        names = ", ".join(f"\\fB{escaped(name)}\\fR" for name in option.names)
        value = "" if option.value is None else f" \\fI{escaped(option.value)}\\fR"
        lines += [".TP", names + value, escaped(option.meaning)]
    return lines


def escaped(text):
    """Returns a text as roff wants it."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    text.encode("ascii")
    return "\\&" + text if text[0] in ".'" else text


def written(page, lines):
    """Returns the page with these lines between its marks."""
    text = (DOCS / page).read_text()
    begin, end = PAGES[page]
    head, rest = text.split(begin + "\n")
    tail = rest.split(end + "\n")[1]
    return "".join([head, begin, "\n", *(line + "\n" for line in lines), end, "\n", tail])


def main(feedfs, check=False):
    found = options(feedfs)
    pages = {"mounting.md": written("mounting.md", table(found)), "feedfs.1": written("feedfs.1", manual(found))}
    differing = [page for page, text in pages.items() if (DOCS / page).read_text() != text]
    for page in differing:
        if check:
            print(f"docs/{page} has other options than {feedfs} --help: `make options` writes them", file=sys.stderr)
        else:
            (DOCS / page).write_text(pages[page])
            print(f"docs/{page}: {len(found)} options")
    return 1 if check and differing else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] == ["--check"]))
