#!/usr/bin/env python3
"""Names that are declared below Sources, and used nowhere but where they are declared.

A name is looked for as a word, so that one that is used anywhere is never listed, and one that has a namesake may be
missed. What only tests use is listed apart. Names that Swift or a library asks for are in KNOWN, each with its reason.
"""

import collections
import pathlib
import re
import sys

KNOWN = {
    # NIO's ChannelInboundHandler
    "InboundIn", "OutboundOut", "channelRead", "errorCaught", "userInboundEventTriggered",
    # Swift's Sequence
    "makeIterator",
    # Swift's TaskExecutor
    "enqueue",
}

DECLARED = re.compile(r"\b(?:func|var|let|struct|class|enum|actor|protocol|typealias|case(?=\s+[a-z]))\s+(\w{2,})")
WORD = re.compile(r"\w+")


def code(text):
    """The text without comments, and without the words of string literals but for their interpolations."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return re.sub(r'"(?:\\[^(]|[^"\\\n])*"', '""', text)


def texts(folder):
    return {path: code(path.read_text()) for path in sorted(pathlib.Path(folder).rglob("*.swift"))}


def main():
    sources = texts("Sources")
    used = collections.Counter(word for text in sources.values() for word in WORD.findall(text))
    tested = {word for folder in ("Tests", "Benchmarks") for text in texts(folder).values() for word in WORD.findall(text)}
    dead = []
    for path, text in sources.items():
        for match in DECLARED.finditer(text):
            name = match[1]
            if used[name] == 1 and name not in KNOWN:
                line = text.count("\n", 0, match.start()) + 1
                dead.append((name in tested, f"{path}: {name}"))
    for only_tests, place in sorted(dead):
        print(place + (" (only tests use it)" if only_tests else ""))
    return any(not only_tests for only_tests, _ in dead)


if __name__ == "__main__":
    sys.exit(main())
