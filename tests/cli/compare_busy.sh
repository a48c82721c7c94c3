#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A comparison that was measured beside other programs says so, as a run does; stored readings were watched by nobody.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

spinners=
for _ in $(seq "$(nproc)"); do
    sh -c 'while :; do :; done' &
    spinners="$spinners $!"
done
longer '0 5' compare 'exec -- sleep 0.05' 'exec -- sleep 0.2' --limit 20s -o beside
# shellcheck disable=SC2086
kill $spinners
tr -s ' \n' ' ' <out >flat
holds flat 'Busy: other programs used'
grep -qE '^(SLOWER|FASTER) ON A BUSY MACHINE: |^NOT DECIDED: ' out || fault "the verdict is $(head -n 2 out)"
holds beside/comparison.json '"busy_machine": true'
holds beside/comparison.json '"words": "other programs used'

seq 50 >readings
longer '0 5' compare readings readings --format json
holds out '"busy_machine": false'
holds out '"processors": null'
finish
