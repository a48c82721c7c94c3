#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Progress is drawn on a terminal and erased at the end. Elsewhere it is plain lines, and none in a short session. It never
# appears on standard output.
# shellcheck source=/dev/null
helper=$(cd "$(dirname "$0")/terminal" && pwd)
. "$(dirname "$0")/checks"
command -v python3 >/dev/null || {
    echo 'there is no python3 to make a terminal'
    exit 77
}

PYTHONDONTWRITEBYTECODE=1 timeout 150 python3 "$helper/progress.py" "$CUPEL" || failures=$((failures + 1))
holds run.csv 'metric,op,'
grep -q "$(printf '\033')" run.csv && fault "progress went to standard output"

# Without a terminal: a session of a second prints no line, and a longer one prints a few, without control characters. The
# first line has a number if the machine had time to measure one. What the precision still needs may replace the remaining
# time.
status 5 run --ioengine null --null-script const:1ms --ci 0.01% --limit 1s --overhead 0
! grep -vE '^cupel run: |(^|, )([2-9]|[1-9][0-9]+) s( |$)' err || fault "more than the reason on standard error: $(cat err)"
[ "$(grep -c '^cupel run: ' err)" -eq 1 ] || fault "not one reason on standard error: $(cat err)"
holds err 'the session limit came first'
status 5 run --ioengine null --null-script const:1ms --ci 0.01% --limit 7s --overhead 0
lines=$(wc -l <err)
{ [ "$lines" -ge 2 ] && [ "$lines" -le 5 ]; } || fault "not one to four lines and the reason on standard error: $(cat err)"
first=$(head -n 1 err)
! grep -q 'other programs use' out || first=$(grep -m 1 IOPS err)
echo "$first" | grep -Eq '^(([^,]*, )?[2-9] s  )?[0-9.]+k? IOPS' || fault "no number in the first line, within seconds: $(cat err)"
grep -qE 'goal [+]-0.005 %|[0-9]+ of [0-9]+ independent readings' err || fault "nothing is missing: $(cat err)"
LC_ALL=C grep -q '[^ -~]' err && fault "control characters where there is no terminal: $(cat err)"

# looked_at OPTIONS: runs a session that a signal ends after two seconds.
looked_at() {
    timeout -s INT -k 30 2 "$CUPEL" run --ioengine null --null-script const:1ms --overhead 0 --format json "$@" >out 2>err </dev/null
}

# Without any option on statistics or the end of the session, the limit is a minute; with one of them it is the usual limit.
for options in '' '--rw read'; do
    # shellcheck disable=SC2086
    looked_at $options
    holds out '"limit_seconds": 60,'
done
looked_at --preset quick
holds out '"limit_seconds": 600,'

# Standard error is closed: no file that cupel opens may get its number, and with it the messages.
head -c 1048576 /dev/zero | tr '\0' x >data
cp data before
limited run data --size 1m --limit 5s --ci 0.01% -o kept >out 2>&-
cmp -s data before || fault "a file was written that had the number of the closed standard error"
holds out 'IOPS'
grep -rqs 'cupel run:' kept && fault "a message went into a file of -o"
finish
