# SPDX-License-Identifier: GPL-3.0-or-later
"""The full screen of --live on a terminal: live.py CUPEL. Prints a line for each fault."""
import random
import re
import signal
import sys

from screen import Run

cupel = sys.argv[1]
null = [cupel, 'run', '--live', '--ioengine', 'null', '--overhead', '0']
endless = null + ['--null-script', 'const:1ms', '--ci', '0.01%', '--limit', '20s']
faults = 0


def expect(condition, words):
    global faults
    if not condition:
        faults += 1
        print('FAULT:', words)


def frames(run):
    """The screens in order, as lists of lines."""
    return [frame.replace('\r', '').split('\n') for frame in run.screen.frames if frame]


# The screen comes first, then the report on the normal one; what is asked for stands on it.
run = Run(null + ['--null-script', 'const:100us', '--sla', 'p90<900ms,iops>10', '--limit', '30s'], environment={'LC_ALL': 'C.UTF-8'})
expect(run.status in (0, 5) and run.screen.is_sane(), f'exit status {run.status}, screen {run.screen.is_sane()}')
expect(not run.screen.unknown, f'sequences that a terminal may not know: {run.screen.unknown[:3]}')
expect(run.screen.shown() and 'of 2 clauses pass' in run.screen.shown()[0], f'no report: {run.screen.shown()[:2]}')
last = frames(run)[-1] if frames(run) else []
for words in ('null', 'IOPS', 'p99', 'latency   p50', 'load ', 'in flight', 'path ', 'phases ', 'p90<900ms', 'Ctrl-C'):
    expect(any(words in line for line in last), f'{words!r} is not on the screen: {last}')
expect(any('\u2588' in line for line in last), 'no blocks, where there is UTF-8')
run = Run(null + ['--null-script', 'const:1ms', '--rate_iops', '2000', '--limit', '20s', '--runtime', '1s'], stdout='out')
expect(any('backlog' in line for line in frames(run)[-1]), f'no backlog of requests with due times: {frames(run)[-1]}')

# No line wider and no screen higher than the terminal; plain characters and no colours where these are not wanted.
for columns, rows in ((20, 10), (80, 24), (200, 60), (7, 2)):
    run = Run(null + ['--null-script', 'const:1ms', '--ci', '0.01%', '--limit', '2s'], columns=columns, rows=rows, stdout='out',
              environment={'NO_COLOR': '1', 'LC_ALL': 'C'})
    wide = [frame for frame in frames(run) if len(frame) > rows or any(len(line) >= columns for line in frame)]
    expect(not wide, f'{columns} x {rows}: {wide[:1]}')
    expect(len(frames(run)) > 3, f'{columns} x {rows}: {len(frames(run))} screens')
    expect(not re.search(r'\x1b\[[\d;]*m|[^\x00-\x7f]', run.text()), f'{columns} x {rows}: colours, or other characters')

# A storm of resizing, and then the report and the reason as always.
dice = random.Random(2)
storm = [(0.1 + i * 0.03, lambda run: run.resize(dice.randint(1, 200), dice.randint(1, 60))) for i in range(80)]
run = Run(null + ['--null-script', 'const:1ms', '--ci', '0.01%', '--limit', '3s'], events=storm, stdout='out')
expect(run.screen.is_sane() and run.status == 5, f'after a storm: exit status {run.status}')
expect(len(run.screen.shown()) == 1, f'after a storm: {run.screen.shown()}')

# Whatever ends it, and whenever: the normal screen, with a cursor.
for i in range(12):
    number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3]
    at = dice.uniform(0.02, 1.8)
    run = Run(endless, events=[(at, lambda run: run.kill(number))], stdout='out')
    expect(run.screen.is_sane(), f'{number.name} after {at:.2f} s leaves the screen behind')
    expect(run.status in (5, -number), f'{number.name} after {at:.2f} s: exit status {run.status}')
for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGQUIT, signal.SIGBUS):
    run = Run(endless, events=[(0.9, lambda run: run.kill(number))], stdout='out')
    expect(run.screen.is_sane(), f'{number.name} leaves the screen behind')
    expect(run.status == -number, f'{number.name}: exit status {run.status}')

# Stopped, the shell has its screen; then it goes on.
seen = []
run = Run(endless, stdout='out', is_job=True, events=[
    (1.2, lambda run: (seen.append(run.screen.alternate), run.kill_job(signal.SIGTSTP))),
    (1.8, lambda run: (seen.append(run.screen.is_sane()), run.kill_job(signal.SIGCONT))),
    (2.8, lambda run: (seen.append(run.screen.alternate), run.kill_job(signal.SIGINT)))])
expect(seen == [True, True, True] and run.screen.is_sane(), f'Ctrl-Z: {seen}')
sys.exit(1 if faults else 0)
