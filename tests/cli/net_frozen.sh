#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --net when the far end is killed, stopped for a while, or silent: a failure gives exit status 4 with a message in
# time; a pause counts as latency and loses no request.
# Slow: a far end is silent for 10 s until it counts as gone.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
trap 'kill -KILL $server $process 2>/dev/null; rm -rf "$FOLDER"' EXIT

# begin NAME OPTION...: starts a far end and a session with it, and returns once it measures; uses NAME.out, NAME.err and the
# folder NAME.
begin() {
    name=$1
    shift
    : >serving
    "$CUPEL" serve 127.0.0.1:0 --for 3m >served 2>serving </dev/null &
    server=$!
    until far=$(sed -n 's/^serving at //p' serving) && [ "$far" ]; do
        kill -0 $server 2>/dev/null || {
            fault "cupel serve does not listen: $(cat serving)"
            finish
        }
        sleep 0.05
    done
    timeout -s KILL 100 "$CUPEL" run --net "$far" --overhead 0 -o "$name" "$@" >"$name.out" 2>"$name.err" </dev/null &
    process=$!
    until grep -q BTCH "$name/record.cupel" 2>/dev/null || ! kill -0 $process 2>/dev/null; do
        sleep 0.05
    done
    since=$(date +%s)
}

# ends EXPECTED SECONDS: the session ends with this status at most SECONDS after it began to measure.
ends() {
    wait $process
    got=$?
    took=$(($(date +%s) - since))
    [ "$got" -eq "$1" ] || fault "$name: exit status $got instead of $1: $(cat "$name.err")"
    [ $took -le "$2" ] || fault "$name: it took $took s, of at most $2"
    kill -KILL $server 2>/dev/null
    wait $server 2>/dev/null
}

# Killed: the session fails at once. Earlier measurements are reported, and the advice concerns the network.
begin killed --runtime 60s --limit 90s
kill -KILL $server
ends 4 30
grep -qE 'closed the connection|connection broke' killed.err || fault "killed: $(cat killed.err)"
grep -q 'far end (is cupel serve still running there' killed.out || fault "killed: $(cat killed.out)"
! grep -qi 'disk' killed.out || fault "a network is called a disk: $(grep -i disk killed.out)"
status 4 report killed

# Silent: the session ends after the request's time limit and the 10 s after which the far end counts as gone, long before the
# minute of --runtime.
begin frozen --runtime 60s --limit 90s
kill -STOP $server
ends 4 45
grep -q 'the far end is silent' frozen.err || fault "frozen: $(cat frozen.err)"
grep -q '^FAILED: ' frozen.out || fault "frozen: $(head -n 3 frozen.out)"

# A pause of two seconds: the waiting request took that long, none failed, none is missing.
begin paused --runtime 6s --limit 60s --format csv
kill -STOP $server
sleep 2
kill -CONT $server
wait $process
got=$?
case $got in
0 | 5) ;;
*) fault "paused: exit status $got: $(cat paused.err)" ;;
esac
cp paused.out out
is_true "$(metric_of lat_max value) > 1.5e9"
[ "$(metric_of errors value)" = 0 ] || fault "paused: $(metric_of errors value) errors"
longer '0 5' report paused --full
holds out 'the same as here'
holds out 'Slowest'
finish
