# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress line on a terminal: progress.py CUPEL. Prints a line for each fault."""
import random
import re
import sys

from screen import Run

cupel = sys.argv[1]
null = [cupel, 'run', '--ioengine', 'null', '--null-script', 'const:1ms', '--overhead', '0', '--format', 'csv']
faults = 0


def expect(condition, words):
    global faults
    if not condition:
        faults += 1
        print('FAULT:', words)


def in_order(lines, *patterns):
    """Is there a line with each of these, one after the other?"""
    at = iter(lines)
    return all(any(re.search(pattern, line) for line in at) for pattern in patterns)


# The name of a stage is left out of a line that has no room for it.
ROUND = r'^(round \d+, )?\d+ s  '


# From nothing to a result: each stage by name, the first before the target is opened, numbers early.
run = Run([cupel, 'run', '.', '--size', '16m', '--preset', 'quick', '--limit', '50s', '--format', 'csv'], stdout='run.csv',
          until=r'[\r\nJ](round \d+, )?\d+ s  ')
lines = run.progress()
expect(lines and lines[0].startswith('looking at the target'), f'the first line is {lines[:1]}')
expect(in_order(lines, 'opening the target', 'looking at the machine', 'warming up', ROUND),
       f'not all stages in their order: {lines}')
expect(any(re.search(r'^warming up.* IOPS', line) for line in lines), 'no number while it warms up')
expect(run.screen.shown() == [] or all('cupel' in line for line in run.screen.shown()),
       f'progress is left behind: {run.screen.shown()}')

# What is missing is named, and is missing: a width above its goal, or a reason.
run = Run(null + ['--ci', '+-0.005%', '--limit', '50s'], stdout='out', until=r'(?s)(goal \+-0\.005 %.*){5}')
lines = [line for line in run.progress() if re.search(ROUND, line)]
for line in lines:
    width = re.search(r'\+-([\d.]+) %, goal \+-([\d.]+) %', line)
    expect(not width or float(width[1]) > float(width[2]), f'reached, and goes on: {line}')
    expect(not re.search(r'(about|at least) 0 s', line), f'over, and goes on: {line}')
expect(any('goal +-0.005 %' in line for line in lines), f'nothing is missing: {lines}')
# One of a hundred I/Os fails, however busy the machine is.
failing = null[:5] + ['const:1ms+fail:0.01'] + null[6:]
run = Run(failing + ['--sla', 'errors<90%', '--min-time', '15s', '--limit', '50s'], stdout='out', until='waiting for 15 s minimum; ')
expect(in_order(run.progress(), 'waiting for 15 s minimum; '), f'the minimum is not named: {run.progress()}')
run = Run(failing + ['--sla', 'errors<1%,p99<900ms', '--min-time', '500ms', '--limit', '50s'], stdout='out',
          until='SLA clause 1 of 2: errors<1% not decided')
expect(in_order(run.progress(), 'SLA clause 1 of 2: errors<1% not decided'), f'no clause: {run.progress()}')
run = Run(null + ['--runtime', '2s'], stdout='out')
expect(not any('goal' in line for line in run.progress()), 'a goal, where none was set')

# Nothing but printable characters and the clearing of a line; what is too long is left out, not wrapped.
for columns in (20, 40, 80, 200):
    run = Run(null + ['--ci', '0.01%', '--limit', '1s'], columns=columns, stdout='out', environment={'NO_COLOR': '1'})
    expect(all(len(line) < min(columns, 80) for line in run.progress() if not line.startswith('cupel run:')),
           f'{columns} columns: {[line for line in run.progress() if len(line) >= columns]}')
    expect(not re.search(r'[^\x20-\x7e\r\n]', run.text().replace('\x1b[J', '')), f'{columns} columns: other characters')
for environment in ({'TERM': 'dumb'}, {'TERM': ''}):
    run = Run(null + ['--ci', '0.01%', '--limit', '1s'], stdout='out', environment=environment)
    # Nothing but the reason, within two seconds; a busy machine may need longer to end.
    early = [line for line in run.progress() if not re.search(r'(^|, )\d+ s(  |$)', line)]
    expect('\x1b' not in run.text() and len(early) == 1, f'{environment}: {run.text()!r}')

# A storm of resizing leaves no debris: what stands there in the end is the reason of the exit status alone.
dice = random.Random(1)
for reflow in (True, False):
    storm = [(0.2 + i * 0.03, lambda run: run.resize(dice.randint(20, 120))) for i in range(80)]
    storm.append((2.7, lambda run: run.resize(300)))
    run = Run(null + ['--ci', '0.01%', '--limit', '3s'], events=storm, reflow=reflow, stdout='out')
    expect(len(run.screen.shown()) == 1 and run.screen.shown()[0].startswith('cupel run: '),
           f'debris, reflow {reflow}: {run.screen.shown()}')

# Other commands: something at once, nothing in the end.
with open('numbers', 'w') as file:
    file.write('\n'.join(str(100 + dice.random()) for _ in range(2000)))
for command, first in ((['probe', '.'], 'looking at the machine'), (['analyze', 'numbers'], 'reading numbers'),
                       (['compare', 'numbers', 'numbers'], 'reading'),
                       (['exec', '--duration-rounds', '3', '--', 'true'], None)):
    run = Run([cupel] + command, stdout='out')
    if first:
        expect(run.progress()[:1] in ([first + ', 0 s'], [first + ', 1 s']), f'{command}: {run.progress()[:2]}')
    expect(all(line.startswith('cupel') for line in run.screen.shown()), f'{command}: {run.screen.shown()}')

# A program that runs on and on, about which there is nothing new to show: the time goes on all the same, and so does that of
# every other silence. On a busy machine a line may be late, and two of five missing.
run = Run([cupel, 'exec', '--limit', '6s', '--', 'sleep', '5.5'], stdout='out')
seconds = {int(found[1]) for line in run.progress() if (found := re.search(r'(\d+) s(  |;|$)', line))}
expect(len(seconds & {1, 2, 3, 4, 5}) >= 3, f'it stands still: {run.progress()}')
gaps = [b - a for (a, _), (b, _) in zip(run.pieces, run.pieces[1:])]
expect(max(gaps) < 3, f'nothing is shown for {max(gaps):.1f} s: {run.progress()}')

# A report of exec that is longer than the screen is cut below, so that its verdict stays in sight; --full prints all of it.
for full in (False, True):
    run = Run([cupel, 'exec', '--limit', '2s'] + ['--full'] * full + ['--', 'true'])
    lines = run.screen.shown()
    expect(any(' duration ' in line for line in lines[:2]), f'the verdict is not first: {lines[:2]}')
    expect((len(lines) <= 24) != full, f'{len(lines)} lines, full: {full}')
    expect(any('The whole report: --full' in line for line in lines) != full, f'not where the rest is: {lines[-3:]}')
sys.exit(1 if faults else 0)
