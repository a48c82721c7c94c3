#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Progress: drawn on a terminal and gone at the end, silent elsewhere in a short session; never on standard output.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
command -v script >/dev/null || {
    echo 'there is no script(1) to make a terminal'
    exit 77
}

session="'$CUPEL' run --ioengine null --null-script const:1ms --ci 0.01% --limit 3s --overhead 0 --format csv"
TERM=xterm script -qefc "$session >out" /dev/null >terminal 2>&1 </dev/null
holds out 'iops,'
holds terminal 's of 3 s'
clear=$(printf '\r\033[K')
holds terminal "$clear"
[ "$(tr '\r' '\n' <terminal | sed 's/\x1b\[K//' | awk 'length > 79' | grep -vc 'cupel run:')" -eq 0 ] ||
    fault "a progress line is wider than 79 columns"
grep -q "$(printf '\033')" out && fault "progress went to standard output"

# Not a terminal: three seconds are too short for a line.
status 5 run --ioengine null --null-script const:1ms --ci 0.01% --limit 3s --overhead 0
[ "$(wc -l <err)" -eq 1 ] || fault "more than the reason on standard error: $(cat err)"
holds err 'the session limit came first'
finish
