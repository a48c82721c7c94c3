#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The memory of a replay does not grow with the trace's length, in any mode of replay.
# shellcheck source=/dev/null
. "$(dirname "$0")/../cli/checks"
[ -r /proc/self/status ] || {
    echo 'there is no /proc to ask for memory'
    exit 77
}

# trace COUNT: prints reads of several processes, devices and sizes, ten per millisecond, slightly out of order.
trace() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
        printf "128166%012d,hm,%d,%s,%d,%d,%d\n", 1000 * i + i * 7919 % 5000, i % 3, i % 4 ? "Read" : "Write",
            4096 * (i * 7919 % 250000), 4096 * (1 + i % 4), i * 31 % 3000 }'
}
trace 100000 >short
trace 1000000 | gzip -1 >long.gz

# max_kib ARGUMENT...: leaves in COUNT_MAX the largest resident set of the replay, sampled while it runs.
max_kib() {
    "$CUPEL" replay "$@" --ioengine null --format csv >out 2>err </dev/null &
    process=$!
    COUNT_MAX=0
    while kill -0 $process 2>/dev/null; do
        now=$(awk '$1 == "VmHWM:" { print $2 }' /proc/$process/status 2>/dev/null)
        [ -z "$now" ] || COUNT_MAX=$now
        sleep 0.02
    done
    wait $process || fault "replay $*: $(cat err)"
}

for way in '--speed asap' '--speed asap --closed --numjobs 2' '--speed asap --map scale'; do
    # shellcheck disable=SC2086 # the options are words
    max_kib short $way
    short=$COUNT_MAX
    # shellcheck disable=SC2086
    max_kib long.gz $way
    [ "$(metric_of iops n)" -eq 1000000 ] || fault "$way: $(metric_of iops n) of 1000000 requests"
    echo "$way: $short KiB for 100000 events, $COUNT_MAX KiB for 1000000"
    is_true "$short > 10000 && $COUNT_MAX < $short + 4096"
done
finish
