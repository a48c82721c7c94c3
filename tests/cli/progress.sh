#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Progress: drawn on a terminal and gone at the end, plain lines elsewhere, and silent there in a short session; never on
# standard output.
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

# Not a terminal: a second is too short for a line, and a longer session has few, without control characters. The first one
# has a number, where the machine has time to measure one; what is missing may take the room of the time.
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

# looked_at OPTIONS: a session that ends after two seconds.
looked_at() {
    timeout -s INT -k 30 2 "$CUPEL" run --ioengine null --null-script const:1ms --overhead 0 --format json "$@" >out 2>err </dev/null
}

# A first look, without any option about statistics or the end, takes a minute at most; any of them has the usual limit.
for options in '' '--rw read'; do
    # shellcheck disable=SC2086
    looked_at $options
    holds out '"limit_seconds": 60,'
done
looked_at --preset quick
holds out '"limit_seconds": 600,'

# A closed standard error: no file that is opened gets its number, and messages.
head -c 1048576 /dev/zero | tr '\0' x >data
cp data before
limited run data --size 1m --limit 5s --ci 0.01% -o kept >out 2>&-
cmp -s data before || fault "a file was written that had the number of the closed standard error"
holds out 'IOPS'
grep -rqs 'cupel run:' kept && fault "a message went into a file of -o"
finish
