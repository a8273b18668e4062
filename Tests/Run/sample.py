"""The seed of the samples that long suites take: another one for other sources, and for each further run."""
import glob
import hashlib
import json

KEPT = ".build/test-sample.json"
SEEDS = 1_000_000


def tree():
    """A hash of all sources of this checkout."""
    digest = hashlib.sha256()
    for path in sorted(glob.glob("Sources/**/*", recursive=True) + glob.glob("Tests/**/*.swift", recursive=True)):
        if path.endswith((".swift", ".h", ".c", ".modulemap")):
            with open(path, "rb") as file:
                digest.update(path.encode() + b"\0" + file.read())
    return digest.hexdigest()


def after(before, tree_now):
    """The seed of a run, and how many there were of this tree. Several runs have different seeds, and so find more."""
    runs = before["runs"] + 1 if before and before["tree"] == tree_now else 0
    return (int(tree_now[:6], 16) + runs) % SEEDS, runs


def seed():
    """The seed of this run."""
    now, before = tree(), None
    try:
        with open(KEPT) as file:
            kept = json.load(file)
        before = {"tree": str(kept["tree"]), "runs": int(kept["runs"])}
    except (OSError, ValueError, KeyError, TypeError):
        pass  # this is the first run here
    found, runs = after(before, now)
    try:
        with open(KEPT, "w") as file:
            json.dump({"tree": now, "runs": runs}, file)
    except OSError:
        pass  # the next run takes the same sample
    return found
