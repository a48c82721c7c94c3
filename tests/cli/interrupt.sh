#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A session that is stopped ends with a valid report and record; one that is killed leaves a record to report from.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# start NAME SECONDS: a session that would go on for a minute, kept in the folder NAME, so long after its first readings.
# Without real-time priority: a worker of another test that has it would leave this one no processor.
start() {
    "$CUPEL" run --ioengine null --null-script 'uniform:100us,300us' --ci 0.01% --limit 60s --overhead 0 --realtime 0 \
        --format csv -o "$1" >out 2>err </dev/null &
    process=$!
    until grep -q BTCH "$1/record.cupel" 2>/dev/null || ! kill -0 $process 2>/dev/null; do
        sleep 0.05
    done
    sleep "$2"
}

# INT comes twice, as from a terminal and a parent: both are one request.
for signal in INT TERM HUP; do
    start "after-$signal" 0.8
    kill -$signal $process
    [ $signal != INT ] || kill -$signal $process 2>/dev/null
    wait $process
    got=$?
    [ $got -eq 5 ] || fault "SIG$signal: exit status $got instead of 5"
    holds err 'stopped by a signal'
    is_true "$(metric_of iops value) > 100"
    cp out first
    status 5 report "after-$signal/record.cupel" --format csv
    cmp -s first out || fault "SIG$signal: report gives other numbers than the run"
    [ -s "after-$signal/report.txt" ] || fault "SIG$signal: there is no report.txt"
done

start killed 1.5
kill -KILL $process
wait $process 2>/dev/null
status 5 report killed/record.cupel --format csv
holds err 'killed'
is_true "$(metric_of iops value) > 100"
finish
