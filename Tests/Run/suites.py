"""Finds the suites of a built test runner, and what each is asked with."""
import dataclasses
import re
import subprocess

DIRECT = "direct:"
# Suites of modules that run by themselves, because they wait or compute long. Of the others the whole module is one
# process: each start of one takes half a second, for 2,600 tests are looked through.
_APART = r"(HTTPTests\.KeptConnectionTests|CatalogTests\.TitleNameTests|"
_APART += r"SimulationTests\.(?:Life|GrowingLife|WriteFault|LiveCatalog|SlotMaking|Week)Tests|"
_APART += r"StreamsTests\.(?:PackagedFilm|CodecTable|PackagerShape|CutFilm)Tests)/"
# Promises whose tests run by themselves.
_BY_TEST = ("OutageTests",)
# The programs that StreamPlayerTests plays films with (FilmProgram; HouseTests compares). One at a time takes long.
PLAYERS = ("ffprobe", "ffmpeg", "mpv", "vlc", "gstreamer", "mkvmerge", "mediainfo", "ffmpegthumbnailer", "chromium",
           "kodi", "minidlna", "gerbera")
# Its tests do nothing but wait for timeouts, so they run beside each other, too.
_PARALLEL = ("HTTPTests.KeptConnectionTests",)


@dataclasses.dataclass(frozen=True)
class Suite:
    """Tests that run in one process."""
    name: str
    pattern: str
    environment: tuple = ()
    is_parallel: bool = False
    skipped: tuple = ()

    @property
    def arguments(self):
        """The words for the runner."""
        return ["--testing-library", "swift-testing", "--filter", self.pattern,
                *(word for one in self.skipped for word in ("--skip", f"^{re.escape(one)}/")),
                *(() if self.is_parallel else ("--no-parallel",))]


def suite(name, others=()):
    """The suite with this name, as `names` gives it. A module is without those of its suites that are in `others`."""
    if name.startswith(DIRECT):
        return Suite(name, f"^PromiseTests\\.Promises/{name[len(DIRECT):]}/[^(]*\\(on:", (("FEEDFS_DRIVES", "direct"),))
    kernel = (("FEEDFS_DRIVES", "kernel"),)
    if "." in name:
        return Suite(name, f"^{re.escape(name)}/", kernel, is_parallel=name in _PARALLEL)
    if "/" in name:
        return Suite(name, f"^PromiseTests\\.Promises/{name}\\(", kernel)
    apart = tuple(other for other in others if other.startswith(name + "."))
    return Suite(name, f"^(PromiseTests\\.Promises/{name}/|{name}\\.)", kernel, skipped=apart)


def names(listing):
    """The suites in the runner's list of tests. A promise that runs on each drive gives two: direct:NAME, NAME."""
    found = set()
    for line in listing.splitlines():
        if promise := re.match(r"PromiseTests\.Promises/([A-Za-z0-9]+)/(?:[A-Za-z0-9]+/)*([A-Za-z0-9]+)\((on:)?", line):
            found.add(f"{promise[1]}/{promise[2]}" if promise[1] in _BY_TEST else promise[1])
            if promise[3]:
                found.add(DIRECT + promise[1])
        elif other := re.match(_APART, line) or re.match(r"([A-Za-z]+)\.", line):
            found.add(other[1])
    return sorted(found)


def listed(runner):
    """The names of a runner's suites.

    Throws CalledProcessError or OSError if it cannot be run."""
    return names(subprocess.run([runner, "--testing-library", "swift-testing", "--list-tests"], check=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True).stdout)


def one_for_each_program(known):
    """The suite of players, once for each of them."""
    return [dataclasses.replace(known, name=f"{known.name}:{program}",
                                environment=(*known.environment, ("FEEDFS_PROGRAM", program)))
            for program in PLAYERS]


def parts(text, known):
    """The suites of a full count: "SUITE:PARTS …" gives each of these suites as often as it has parts.

    Throws ValueError if there is no such suite."""
    found = []
    for word in text.split():
        short, _, count = word.partition(":")
        meant = [suite(name, known) for name in known if short in (name, name.split(".")[-1], name.split("/")[0])]
        if not meant or not count.isdigit():
            raise ValueError(f"no suite and its parts: {word}")
        found += [dataclasses.replace(whole, name=f"{whole.name}:{part}of{count}",
                                      environment=(*whole.environment, ("FEEDFS_SOAK", f"{part}/{count}")))
                  for whole in meant for part in range(1, int(count) + 1)]
    return found
