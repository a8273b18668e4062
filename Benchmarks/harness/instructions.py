"""What a cached read costs the processor, counted by valgrind: the difference of two runs of
`microbench cached-reads`, so that what starting costs is not in it."""
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


def _count(words, pattern):
    done = subprocess.run(['valgrind', *words], capture_output=True, text=True, check=True,
                          timeout=300)
    return int(re.search(pattern, done.stderr)[1].replace(',', ''))
