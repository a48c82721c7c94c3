#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A session that a signal stops ends with a valid report and record. A killed session leaves a record that can be reported.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# start NAME SECONDS: starts a session of up to a minute, kept in the folder NAME, and returns SECONDS after its first
# readings. It has no real-time priority: another test's worker with that priority would leave it no processor.
start() {
    "$CUPEL" run --ioengine null --null-script 'uniform:100us,300us' --ci 0.01% --limit 60s --overhead 0 --realtime 0 \
        --format csv -o "$1" >out 2>err </dev/null &
    process=$!
    until grep -q BTCH "$1/record.cupel" 2>/dev/null || ! kill -0 $process 2>/dev/null; do
        sleep 0.05
    done
    sleep "$2"
}

# INT is sent twice, as from a terminal and a parent process: the two count as one request.
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
