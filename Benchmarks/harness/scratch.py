"""The one folder in which everything of a run lies."""
import contextlib, os, shutil, signal, sys, tempfile
from . import trial


@contextlib.contextmanager
def temporary_folder():
    """Gone at the end, with all mounts and children, also on Ctrl-C and SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    trial.adopt()
    folder = os.path.realpath(tempfile.mkdtemp(prefix='feedfs-bench-'))
    os.chmod(folder, 0o755)  # an ordinary user is measured too
    try:
        yield folder
    finally:
        trial.sweep(folder)
        shutil.rmtree(folder, ignore_errors=True)


def copy_programs(build, folder, names):
    """Into `folder`: where an ordinary user finds them, and nobody builds them anew."""
    os.makedirs(folder)
    for name in names:
        shutil.copy(os.path.join(build, name), folder)
