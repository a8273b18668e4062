"""What a start, a cached read and an entry of a feed cost the processor, counted by valgrind. What is
done many times is the difference of two runs of `microbench`, so that what starting costs is not in
it. Swift draws the seed of its hashes anew for each process. Here it is always the same: the parser's
part of two runs would differ by more than a refresh costs."""
import os, re, shutil, subprocess

FEW, MANY = 1_000, 3_000  # reads
ENTRIES = 1_000  # of the feed of `microbench long-feed WORK`

TOOLS = (
    ('instructions', ['--tool=callgrind', '--callgrind-out-file=/dev/null'],
     r'Collected\s*:\s*([\d,]+)'),
    ('allocations', ['--tool=memcheck'], r'total heap usage: ([\d,]+) allocs'))


def cached_read(programs):
    """Yields what is counted, by name; nothing where there is no valgrind."""
    if program := _stripped(programs):
        for name, count in _costs(program, ['cached-reads'], FEW, MANY):
            yield f'cached read: {name}', round(count)


def long_feed(programs):
    """Yields what an entry with three media costs, and the memory that 10 MB of them take."""
    done = subprocess.run([os.path.join(programs, 'microbench'), 'long-feed'], capture_output=True,
                          text=True, check=True, timeout=60)
    yield '10 MB of Media RSS: MiB of memory', int(
        re.search(r'kibibytes (\d+)', done.stdout)[1]) / 1024
    if program := _stripped(programs):
        for work, title in ('parse', 'parsed'), ('refresh', 'refreshed without a change'):
            for name, count in _costs(program, ['long-feed', work], 1, 3):
                yield f'an entry of Media RSS, {title}: {name}', round(count / ENTRIES, 1)


def _stripped(programs):
    """A microbench that valgrind can read: what Swift writes about a program for debuggers is more
    than it can; nothing where a tool is missing."""
    if not shutil.which('valgrind') or not shutil.which('strip'):
        return None
    program = os.path.join(programs, 'microbench-stripped')
    subprocess.run(['strip', '--strip-debug', '-o', program, os.path.join(programs, 'microbench')],
                   check=True)
    return program


def _costs(program, words, few, many):
    for name, tool, pattern in TOOLS:
        counts = [_count([*tool, program, *words, str(times)], pattern) for times in (few, many)]
        yield name, (counts[1] - counts[0]) / (many - few)


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
                          timeout=300, env={**os.environ, 'SWIFT_DETERMINISTIC_HASHING': '1'})
    return int(re.search(pattern, done.stderr)[1].replace(',', ''))
