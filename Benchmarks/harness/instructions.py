"""What a start and a cached read cost the processor, counted by valgrind. A cached read is the
difference of two runs of `microbench cached-reads`, so that what starting costs is not in it."""
import os, re, shutil, subprocess

FEW, MANY = 1_000, 3_000  # reads


def cached_read(programs):
    """Yields what is counted, by name; nothing where there is no valgrind."""
    if not shutil.which('valgrind') or not shutil.which('strip'):
        return
    program = os.path.join(programs, 'microbench-stripped')
    # What Swift writes about a program for debuggers is more than this valgrind can read.
    subprocess.run(['strip', '--strip-debug', '-o', program, os.path.join(programs, 'microbench')],
                   check=True)
    for name, tool, pattern in (
            ('instructions', ['--tool=callgrind', '--callgrind-out-file=/dev/null'],
             r'Collected\s*:\s*([\d,]+)'),
            ('allocations', ['--tool=memcheck'], r'total heap usage: ([\d,]+) allocs')):
        counts = [_count([*tool, program, 'cached-reads', str(reads)], pattern)
                  for reads in (FEW, MANY)]
        yield f'cached read: {name}', round((counts[1] - counts[0]) / (MANY - FEW))


def start(programs):
    """Yields what the start of a process costs that does nothing but say its version, by name."""
    program = os.path.join(programs, 'feedfs')
    asked = {**os.environ, 'LD_TRACE_LOADED_OBJECTS': '1'}
    found = subprocess.run([program], env=asked, capture_output=True, text=True, check=True)
    yield 'start: libraries', len(re.findall(r'\.so\S* .*\(0x', found.stdout))
    asked = {**os.environ, 'LD_DEBUG': 'statistics'}
    found = subprocess.run([program, '--version'], env=asked, capture_output=True, text=True,
                           check=True)
    yield 'start: relocations by name', int(
        re.search(r'number of relocations:\s*(\d+)', found.stderr)[1])
    if not shutil.which('valgrind') or not shutil.which('strip'):
        return
    stripped = os.path.join(programs, 'feedfs-stripped')
    subprocess.run(['strip', '--strip-debug', '-o', stripped, program], check=True)
    yield 'start: instructions', _count(
        ['--tool=callgrind', '--callgrind-out-file=/dev/null', stripped, '--version'],
        r'Collected\s*:\s*([\d,]+)')


def _count(words, pattern):
    done = subprocess.run(['valgrind', *words], capture_output=True, text=True, check=True,
                          timeout=300)
    return int(re.search(pattern, done.stderr)[1].replace(',', ''))
