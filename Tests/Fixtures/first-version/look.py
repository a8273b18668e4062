"""Prints what a feedfs shows of its mounts and commands, a fact a line, for comparison.

usage: look.py FEEDFS mount FOLDER     what lies in a mount that is offline
       look.py FEEDFS commands CACHE   what the commands say while nothing is mounted

The same program looked at the version that made the fixture, and looks at the version that is tested.
It leaves out what may change from one look to the next: times of use, places in the file system,
free space, and sentences for people.
"""

import errno
import hashlib
import json
import os
import subprocess
import sys

BLOCK = 64 << 10
# The fields of feed.json; new ones may come.
FEED = ("address", "checked", "pages", "title")
ENTRY = ("duration", "episode", "firstSeen", "height", "id", "length", "link", "n", "name",
         "published", "season", "subtitles", "title", "type", "url")


def say(*words):
    print("\t".join(str(word) for word in words))


def as_line(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


class Look:
    def __init__(self, feedfs, place):
        self.feedfs = feedfs
        self.place = place

    def ask(self, *arguments):
        outcome = subprocess.run(
            [self.feedfs, *arguments], capture_output=True, text=True, check=False)
        if outcome.returncode != 0:
            sys.exit(f"{arguments}: {outcome.stderr}")
        return outcome.stdout

    # Commands

    def commands(self):
        self.cache(self.place)
        verified = json.loads(self.ask("cache", "verify", "--json", "--cache-dir", self.place))
        say("verified", as_line(verified).replace(self.place, "CACHE"))
        for feed in json.loads(self.ask("feed", "list", "--json")):
            say("subscription", as_line(feed))
        for line in self.ask("feed", "export").splitlines():
            say("exported", line)

    def cache(self, folder):
        listing = json.loads(self.ask("cache", "list", "--json", "--cache-dir", folder))
        for cache in listing["caches"]:
            for file in cache["files"]:
                facts = {name: file[name] for name in ("cached", "isListed", "isPinned", "size")}
                say("cache", file["name"], as_line(facts), os.path.basename(file["path"]))

    # A mount

    def mount(self):
        status = json.loads(self.ask("status", self.place, "--json"))
        for feed in status["feeds"]:
            say("feed", feed["folder"], feed["title"], feed["address"],
                f"{feed['entries']} entries", f"{feed['pages']} pages",
                "with an end" if feed.get("end") else "without an end")
        for file in status["files"]:
            runs = [f"{run.get('from')}-{run.get('until')}" for run in file.get("extents", [])]
            say("entry", file["name"], file["title"], file.get("size"), file["cached"],
                file["state"], "removed" if file["removed"] else "listed",
                "pinned" if file["pinned"] else "not pinned", file.get("duration"), *runs)
        self.cache(status["cache"]["path"])
        entries = {file["name"] for file in status["files"]}
        for folder, folders, files in os.walk(self.place):
            # These views came later.
            folders[:] = sorted(set(folders) - {"new", "started"})
            here = os.path.relpath(folder, self.place)
            if here != ".":
                say("folder", here, f"inode {os.lstat(folder).st_ino}")
            for file in sorted(files):
                path = os.path.join(folder, file)
                name = os.path.normpath(os.path.join(here, file))
                if os.path.islink(path):
                    say("link", name, f"inode {os.lstat(path).st_ino}", os.readlink(path))
                elif name in entries:
                    self.entry(path, name)
                else:
                    self.document(path, name)

    def entry(self, path, name):
        facts = os.lstat(path)
        say("file", name, f"inode {facts.st_ino}", f"{facts.st_size} bytes", int(facts.st_mtime),
            oct(facts.st_mode))
        for attribute in sorted(os.listxattr(path)):
            say("attribute", name, attribute, os.getxattr(path, attribute).decode())
        try:
            file = os.open(path, os.O_RDONLY)
        except OSError as error:
            say("bytes", name, errno.errorcode[error.errno])
            return
        say("bytes", name, *self.runs(file, facts.st_size))
        os.close(file)

    def runs(self, file, size):
        """The runs of blocks that can be read, with their digests; all else is an error."""
        runs = []
        for start in range(0, size, BLOCK):
            try:
                data = os.pread(file, BLOCK, start)
            except OSError:
                continue
            if len(data) != min(BLOCK, size - start):
                sys.exit(f"a read at {start} brings {len(data)} bytes")
            if not runs or runs[-1][1] != start:
                runs.append([start, start, hashlib.sha256()])
            runs[-1][1] = start + len(data)
            runs[-1][2].update(data)
        return [f"{start}-{end} {digest.hexdigest()}" for start, end, digest in runs]

    def document(self, path, name):
        say("document", name, f"inode {os.lstat(path).st_ino}")
        if name.endswith("status.json"):
            return
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            say("line", name, errno.errorcode[error.errno])
            return
        if name.endswith("feed.json"):
            feed = json.loads(text)
            say("line", name, as_line({key: feed["feed"][key] for key in FEED}))
            text = "\n".join(as_line({key: entry[key] for key in ENTRY})
                             for entry in feed["entries"])
        for line in text.splitlines():
            say("line", name, line)


look = Look(sys.argv[1], sys.argv[3])
look.mount() if sys.argv[2] == "mount" else look.commands()
