#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A comparison and a sweep beside programs that use the processors say so, as a run does. A comparison of stored readings does
# not, because nothing watched the machine then.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

spinners=
for _ in $(seq "$(nproc)"); do
    sh -c 'while :; do :; done' &
    spinners="$spinners $!"
done
printf '%s\n' 'exec: sh -c "echo %n%; sleep 0.1"' 'index: x,unit,0' 'factor n: 1 2' 'repeats: 2' >plan
longer 0 sweep plan -o swept
longer '0 5' compare 'exec -- sleep 0.05' 'exec -- sleep 0.2' --limit 20s -o beside
# shellcheck disable=SC2086
kill $spinners
tr -s ' \n' ' ' <out >flat
holds flat 'Busy: other programs used'
grep -qE '^(SLOWER|FASTER) ON A BUSY MACHINE: |^NOT DECIDED: ' out || fault "the verdict is $(head -n 2 out)"
holds beside/comparison.json '"busy_machine": true'
holds beside/comparison.json '"words": "other programs used'

holds swept/sweep.txt 'SWEPT ON A BUSY MACHINE: '
tr -s ' \n' ' ' <swept/sweep.txt >flat
holds flat 'Busy: other programs used'
holds swept/sweep.json '"busy_machine": true'
holds swept/sweep.json '"words": "other programs used'

seq 50 >readings
longer '0 5' compare readings readings --format json
holds out '"busy_machine": false'
holds out '"processors": null'
finish
