#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every option that this machine's fio lists is an option of cupel run or has a hint: one line, with exit status 2.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

command -v fio >/dev/null || {
    echo 'fio is not installed'
    exit 77
}

fio --cmdhelp=all | sed -n 's/^ *\([a-z_-]*\) *:.*/\1/p' >names
[ "$(wc -l <names)" -gt 200 ] || fault 'fio --cmdhelp=all lists too few options'
while read -r name; do
    engine='--ioengine null'
    [ "$name" = ioengine ] && engine= # --ioengine given twice would add a line
    # shellcheck disable=SC2086 # two words, or none
    limited run $engine --limit 0 "--$name=x" >out 2>err
    got=$?
    [ "$got" -eq 2 ] || fault "--$name: exit status $got"
    [ "$(wc -l <err)" -eq 1 ] || fault "--$name: not one line"
    if grep -q 'unknown option' err; then
        fault "--$name has no hint"
    fi
done <names

refused 2 '--runtime' run --ioengine null --runtime=x
refused 2 'give the target as a word of its own' run --filename=/dev/null
refused 2 '--format' run --output-format=json
finish
