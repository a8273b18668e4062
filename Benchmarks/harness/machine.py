"""Where it was measured."""
import datetime, os, platform
from .systems import version
from .units import GIB


def describe(folder, kinds):
    """What a reader of the figures wants to know of the machine and of these kinds of systems."""
    return {
        'date': datetime.date.today().isoformat(),
        'processor': _processor(),
        'cores': os.cpu_count(),
        'memory GiB': round(os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / GIB),
        'system': _system(),
        'kernel': platform.release(),
        'file system': _file_system(folder),
        'load': os.getloadavg()[0],
        'user': 'root' if os.geteuid() == 0 else 'ordinary',
        'programs': {kind.name: version(kind.program) for kind in kinds},
    }


def sentence(machine):
    programs = '; '.join(f'{name}: {words}' for name, words in machine['programs'].items())
    return (f"{machine['cores']} cores ({machine['processor']}), {machine['memory GiB']} GB, "
            f"{machine['system']}, Linux {machine['kernel']}, {machine['file system']}, "
            f"as {machine['user']}; load {machine['load']:.1f} at the begin; {programs}; "
            f"{machine['date']}.")


def _processor():
    with open('/proc/cpuinfo') as processors:
        for line in processors:
            if line.startswith('model name'):
                return line.partition(':')[2].strip()
    return platform.machine()


def _system():
    try:
        return platform.freedesktop_os_release()['PRETTY_NAME']
    except (OSError, KeyError):
        return platform.system()


def _file_system(folder):
    """The type of the file system that holds `folder`: of the longest mount point above it."""
    with open('/proc/self/mounts') as mounts:
        points = [line.split()[1:3] for line in mounts]
    above = [pair for pair in points if (folder + '/').startswith(pair[0].rstrip('/') + '/')]
    return max(above, key=lambda pair: len(pair[0]), default=['', 'unknown'])[1]
