"""What a start, a cached read, a piece of a fill and an entry of a feed cost the processor, counted
by valgrind. What is done many times is the difference of two runs of `microbench`, so that what
starting costs is not in it. Swift draws the seed of its hashes anew for each process. Here it is
always the same: the parser's part of two runs would differ by more than a refresh costs. A copy goes
by vectors here: `rep movsb` is one instruction of the processor, and valgrind counts one for each
byte."""
import os, re, shutil, subprocess, tempfile

FEW, MANY = 1_000, 3_000  # reads
SHORT, LONG = 16, 48  # MiB of a fill
PIECES = 64  # of a MiB, as libcurl brings them
# What Swift's runtime does for weak references, and for each reference to an object that has them.
WEAK = r'swift_weak|incrementSlow|SideTable'
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


def piece(programs):
    """Yields what a piece of 16 KiB costs from libcurl's callback to the disk and to a reader."""
    if program := _stripped(programs):
        for name, count in _costs(program, ['fill'], SHORT, LONG):
            yield f'a piece of a fill: {name}', round(count / PIECES, 2)
        counts = [_named(WEAK, [program, 'fill', str(mebibytes)]) for mebibytes in (SHORT, LONG)]
        yield 'a piece of a fill: weak references: instructions', round(
            (counts[1] - counts[0]) / (LONG - SHORT) / PIECES, 2)


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


def _named(pattern, words):
    """The instructions of the functions whose names have the pattern, without what they call."""
    with tempfile.NamedTemporaryFile('r') as out:
        _valgrind(['--tool=callgrind', f'--callgrind-out-file={out.name}', *words])
        return sum(count for name, count in _functions(out) if re.search(pattern, name))


def _functions(lines):
    """Yields name and instructions for each line of a file of callgrind's, which writes a name once
    and then its number. The line behind `calls=` has what was called."""
    names, name, is_call = {}, '', False
    for line in lines:
        if found := re.match(r'(c?)fn=\((\d+)\)(?: (.*))?', line):
            names.setdefault(found[2], found[3])
            name = name if found[1] else names[found[2]]
        elif line.startswith('calls='):
            is_call = True
        elif found := re.match(r'[+\-*\d]\S* (\d+)$', line):
            if not is_call:
                yield name, int(found[1])
            is_call = False


def _count(words, pattern):
    return int(re.search(pattern, _valgrind(words))[1].replace(',', ''))


def _valgrind(words):
    environment = {**os.environ, 'SWIFT_DETERMINISTIC_HASHING': '1',
                   'GLIBC_TUNABLES': 'glibc.cpu.x86_rep_movsb_threshold=0x10000000'}
    return subprocess.run(['valgrind', *words], capture_output=True, text=True, check=True,
                          timeout=300, env=environment).stderr
