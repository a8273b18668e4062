#!/usr/bin/env python3
"""Plants faults in a copy of the sources, and looks whether a test finds each.

usage: faults.py [--seed N] [--each N] [--only NUMBER,…] [--runs N]

--seed   chooses the places and the faults (1)
--each   how many are planted in each of the thirteen targets (3)
--only   tries these faults alone
--runs   how many runs of all tests a fault may take, each with another sample (3)

All faults are in one build, in .build-faults. FEEDFS_FAULT=N turns fault N on. For each the tests of its own
target run first, then the promises that need no kernel, then all, until one fails. Prints a line for each fault,
and ends with 1 if one was not found.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys

TOP = os.path.realpath(os.path.dirname(os.path.realpath(__file__)) + "/../..")
COPY = TOP + "/.build-faults"
TARGETS = ("Blocks", "Addresses", "Markup", "Streams", "FeedReading", "Catalog", "Filling", "HTTP", "Storage",
           "Resolving", "StreamFiles", "FeedMount", "CommandTools")
# The suites that try a target by itself, where they have another name.
OWN = {"CommandTools": "^CommandTests", "FeedMount": "^SimulationTests", "Markup": "^FeedReadingTests",
       "Resolving": "^CommandTests", "StreamFiles": "^SimulationTests"}
# Everything but what compares the sources with the house's rules: those know of no planted faults.
ALL = "^(?!HouseTests)"
# Faults that nobody can see, by the beginning of their line's code: no test can find them.
UNSEEN = {
    # The fast way gives up at a port, and the slow one gives the same address.
    "Sources/Addresses/PlainAddress.swift": "guard let port = portEnd(bytes, from: end + 1)",
    # The number is written again when the element ends, before anybody reads it.
    "Sources/Markup/Readers/XMLTree.swift": "text: text.count..<text.count, end: elements.count + 1",
}
HEADER = """#pragma once
#include <stdlib.h>
#include <stdbool.h>

// Whether the fault with this number is on.
static inline bool planted(int number) {
  static int on = -1;
  if (on < 0) {
    const char *text = getenv("FEEDFS_FAULT");
    on = text ? atoi(text) : 0;
  }
  return on == number;
}
"""


def balanced(text):
    """The length of the text up to the parenthesis that closes the first one; 0 if it does not close."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0:
            return place + 1
    return 0


def changes(line):
    """Each fault that this line could have, as the line with NUMBER in it, and what it is."""
    code = line.split("//")[0]
    found = []
    if match := re.match(r"^(\s*(?:guard|if|while) )([^{}]+?)( else \{| \{)(.*)$", code):
        condition = match[2]
        if not re.search(r"\b(let|var|case|try|await|#available)\b|,|\?\?|\{", condition):
            found.append((f"{match[1]}({condition}) != planted(NUMBER){match[3]}{match[4]}", "a condition is turned"))
    for match in re.finditer(r" ([-+]) 1\b(?![\d_.]| <<)", code):
        turned = f" {match[1]} (planted(NUMBER) ? 0 : 1)"
        found.append((code[:match.start()] + turned + code[match.end():], "one is left out"))
    for match in re.finditer(r"(?<![.\w])(min|max)\(", code):
        length = balanced(code[match.end() - 1:])
        inside = code[match.end() - 1:match.end() - 1 + length]
        if length and "," in inside and "\n" not in inside:
            other = {"min": "max", "max": "min"}[match[1]]
            turned = f"(planted(NUMBER) ? {other}{inside} : {match[1]}{inside})"
            found.append((code[:match.start()] + turned + code[match.end() - 1 + length:], f"{other} for {match[1]}"))
    return found


def is_unseen(place):
    """Whether a fault at this place is one of those."""
    path, number, _ = place
    code = UNSEEN.get(path[len(COPY) + 1:])
    with open(path) as file:
        return code is not None and file.read().split("\n")[number].strip().startswith(code)


def plant(seed, each):
    """Makes the copy, and returns the faults: (number, target, file and line, what)."""
    subprocess.run(["rsync", "-a", "--delete", "--exclude=/.build*", "--exclude=/.git", "--exclude=/Tests/Real/venv",
                    "--exclude=/Tests/Real/films", TOP + "/", COPY + "/"], check=True)
    chance, planted = random.Random(seed), []
    for target in TARGETS:
        places = []
        for folder, _, files in sorted(os.walk(f"{COPY}/Sources/{target}")):
            for name in sorted(files):
                with open(f"{folder}/{name}") as file:
                    lines = file.read().split("\n")
                places += [(f"{folder}/{name}", number, change) for number, line in enumerate(lines)
                           for change in changes(line)]
        taken = set()
        while len(taken) < each:
            place = chance.choice(places)
            if place[0] in taken:
                continue
            # Another comes in the place of one that nobody can see, and the rest stay those of their seed.
            other = random.Random(f"{seed} {place[0][len(COPY) + 1:]}")
            while is_unseen(place) or place[0] in taken:
                place = other.choice(places)
            path, number, (text, what) = place
            taken.add(path)
            planted.append((len(planted) + 1, target, f"{path[len(COPY) + 1:]}:{number + 1}", what))
            with open(path) as file:
                lines = file.read().split("\n")
            lines[number] = text.replace("NUMBER", str(len(planted)))
            with open(path, "w") as file:
                file.write("import CFault\n" + "\n".join(lines))
    os.makedirs(COPY + "/Sources/CFault", exist_ok=True)
    with open(COPY + "/Sources/CFault/shim.h", "w") as file:
        file.write(HEADER)
    with open(COPY + "/Sources/CFault/module.modulemap", "w") as file:
        file.write('module CFault [system] { header "shim.h" export * }\n')
    with open(COPY + "/Package.swift") as file:
        package = file.read()
    package = package.replace('    .systemLibrary(name: "CChecksum"),',
                              '    .systemLibrary(name: "CFault"),\n    .systemLibrary(name: "CChecksum"),')
    package = package.replace(".treatAllWarnings(as: .error),", "")
    for target in TARGETS:
        package = re.sub(rf'(\.target\(\s*name: "{target}",)(\s*dependencies: \[)?',
                         lambda match: match[1] + (f'{match[2]}"CFault", ' if match[2] else ' dependencies: ["CFault"],'),
                         package, count=1)
    with open(COPY + "/Package.swift", "w") as file:
        file.write(package)
    return planted


def tries(fault, patterns, sample):
    """Runs suites with a fault; returns the suites that failed."""
    words = [COPY + "/Tests/run.py", "--until-failure", "--sample", str(sample), *patterns]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "FEEDFS_FAULT": str(fault)})
    failed = re.findall(r"^FAILED .*? of processor  (\S+)", done.stdout, re.M)
    if done.returncode not in (0, 1):
        raise SystemExit(f"the tests cannot be run: {done.stdout[-400:]}")
    return failed


def main():
    words = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--each", type=int, default=3)
    words.add_argument("--only", default="")
    words.add_argument("--runs", type=int, default=3)
    options = words.parse_args()
    if not shutil.which("rsync"):
        sys.exit("rsync is missing: `make deps` installs it.")
    faults = plant(options.seed, options.each)
    subprocess.run(["make", "-C", COPY, "tests"], check=True, stdout=sys.stderr)
    only = {int(number) for number in options.only.split(",") if number}
    missed = 0
    for number, target, place, what in faults:
        if only and number not in only:
            continue
        stages = [([OWN.get(target, f"^{target}Tests")], options.seed, "its own tests"),
                  (["^direct:"], options.seed, "what needs no kernel")]
        stages += [([ALL], options.seed + run, f"run {run + 1}") for run in range(options.runs)]
        for patterns, sample, how in stages:
            found = tries(number, patterns, sample)
            if found:
                break
        missed += not found
        print(f"{number:2} {place}, {what}: " + (f"found by {', '.join(found[:2])} ({how})" if found else "NOT FOUND"),
              flush=True)
    print(f"{len(only) or len(faults)} faults, seed {options.seed}: {missed} not found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
