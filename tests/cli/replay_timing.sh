#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel replay keeps the trace's times: at its own speed, at twice that, with dependencies, and until a signal or a limit.
# Timed: a replay's length is held against the trace's.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# trace COUNT GAP_US RESPONSE_US: prints a trace of COUNT reads, one every GAP_US, each with that response time.
trace() {
    awk -v n="$1" -v gap="$2" -v response="$3" 'BEGIN { for (i = 0; i < n; i++)
        printf "128166%012d,hm,1,Read,%d,4096,%d\n", 10 * gap * i, 4096 * (i * 7919 % 60000), 10 * response }'
}

# took SECONDS ARGUMENT...: the replay's pass takes that long, with a margin for a loaded machine.
took() {
    length=$1
    shift
    status 0 replay "$@" --format csv
    is_true "$(metric_of elapsed value) >= 0.98 * $length && $(metric_of elapsed value) < 1.5 * $length + 0.3"
}

trace 1001 1000 0 >second
took 1 second --ioengine null
[ "$(metric_of iops n)" -eq 1001 ] || fault "$(metric_of iops n) requests instead of 1001"
is_true "$(metric_of issued_within_1ms value) > 0.2"
is_true "$(metric_of rate_asked value) > 600 && $(metric_of rate_asked value) < 1100"
took 0.5 second --ioengine null --speed 2x
took 2 second --ioengine null --speed .5
took 0 second --ioengine null --speed asap
is_true "$(metric_of elapsed value) < 0.3"

# Response times count from the due time: a target slower than the trace has long ones, and later requests do not wait for it.
took 1 second --ioengine null --null-script const:20ms
# (If this machine delayed most requests, response times may be longer.)
is_true "$(metric_of response_time value) > 19e6"
is_true "$(metric_of response_time value) < 60e6 || $(metric_of issued_within_1ms value) < 0.5"

# --closed keeps dependencies: reads of 1 ms every 2 ms, so 1 ms of think time, one after the other; on a target that takes 3
# ms it is one every 4 ms. Each read waits for the previous one, so delays of a busy machine add up: the length is compared
# with the measured response times. closed THINKS_SECONDS ARGUMENT...: replays so; THINKS_SECONDS is the sum of the think
# times.
closed() {
    thinks=$1
    shift
    status 0 replay thinks --closed --ioengine null --null-script const:3ms --format csv "$@"
    least=$(awk "BEGIN { print 250 * $(metric_of response_time value) / 1e9 + $thinks }")
    is_true "$least >= 0.98 * (0.75 + $thinks) && $(metric_of elapsed value) >= 0.98 * $least"
}
trace 250 2000 1000 >thinks
closed 0.25
is_true "$(metric_of queue_length value) < 1"
closed 0 --speed asap
is_true "$(metric_of elapsed value) < 1.2 * $least + 0.3"
# Without --closed the trace's times alone count: a new read every 2 ms.
took 0.5 thinks --ioengine null --null-script const:3ms

# stopped NAME STATUS: the exit status is 5, with one line of error, and the result has the replayed part.
stopped() {
    [ "$2" -eq 5 ] || fault "$1: exit status $2 instead of 5: $(cat err)"
    [ "$(grep -c "^cupel[ :]" err)" -eq 1 ] || fault "$1: the error is not one line: $(cat err)"
    is_true "$(metric_of iops n) > 0 && $(metric_of iops n) < 60000"
}

trace 60000 1000 0 >minute
"$CUPEL" replay minute --ioengine null --format csv -o kept >out 2>err </dev/null &
process=$!
until grep -qs BTCH kept/record.cupel || ! kill -0 $process 2>/dev/null; do
    sleep 0.05
done
kill -INT $process
wait $process
stopped 'a signal' $?
holds err 'signal'
cp out first
status 5 report kept/record.cupel --format csv
cmp -s first out || fault "report gives other numbers than the replay: $(diff first out | head -n 4)"
limited replay minute --ioengine null --format csv --limit 5s >out 2>err
stopped 'a limit' $?
holds err 'limit'

# A signal also ends the wait for a pipe that gives nothing.
mkfifo silent
sleep 20 >silent &
writer=$!
"$CUPEL" replay silent --ioengine null --format csv >out 2>err </dev/null &
process=$!
sleep 0.5
kill -INT $process
wait $process
got=$?
kill $writer
[ $got -eq 5 ] || fault "a silent pipe: exit status $got instead of 5"
holds err 'signal'
finish
