#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The HTML pages of every command, in a browser: no errors, complete without scripts, no wider than the window, and the plots
# zoom.
# shellcheck source=/dev/null
. "$(dirname "$0")/browser/lib.sh"

fixture run.cupel
i=0
while [ $i -lt 500 ]; do
    i=$((i + 1))
    echo "$((128166372000000000 + i * 40000)),host,0,Read,$((4096 * i)),4096,100"
done >reads.csv
longer '0 5' replay reads.csv --ioengine null --format html
mv out replay.html
longer '0 5' run null --ioengine null --null-script normal:95us,5us --preset quick --runtime 1s --repeat 2 --overhead 0 -o sessions
cp sessions/report.html sessions.html
longer '0 5' run null --ioengine null --null-script normal:95us,5us --arrival poisson --rate_iops 2k --runtime 2s --overhead 0 -o timed
cp timed/report.html timed.html
longer '0 5' merge run.cupel timed --format html
mv out merge.html
seq 1 300 >readings.csv
status 0 analyze readings.csv --format html
mv out analyze.html
longer '0 5' exec --limit 2s --format html -- true
mv out exec.html
status 0 run one two three --ioengine null --null-script normal:95us,5us --runtime 1s --overhead 0 -o targets
cp targets/report.html targets.html
browse pages.py replay.html sessions.html timed.html merge.html analyze.html exec.html targets.html
browse zoom.py analyze.html
finish
