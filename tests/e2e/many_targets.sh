#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Requests with due times for more targets than there are processors, so that targets share threads: every request is issued,
# and each target's rows count its own requests. Closed loops have a thread per target. The test checks counts, no times.
# shellcheck source=/dev/null
. "$(dirname "$0")/../cli/checks"

targets=$(($(nproc) * 2 + 3))
all=
number=0
while [ $number -lt $targets ]; do
    head -c 1048576 /dev/zero >"file$number"
    all="$all file$number"
    number=$((number + 1))
done

# Device d of the trace has 100 + d requests of (1 + d % 4) * 4 KiB within one second.
awk -v n=$targets 'BEGIN { for (i = 0; i < 100 + n; i++) for (d = 0; d < n; d++) if (i < 100 + d)
    printf "128166%012d,lu,%d,Read,%d,%d,10\n", 50000 * i + d, d, 16384 * (i % 60), 4096 * (1 + d % 4) }' >trace
requests() { awk -F, -v t="$1" '$1 == "iops" && $13 == t { n += $8 } END { print n + 0 }' out; }
for spin in auto never always; do
    # shellcheck disable=SC2086 # several words
    status 0 replay trace $all --ioengine uring --direct 0 --spin $spin --format csv
    number=0
    while [ $number -lt $targets ]; do
        n=$(requests "$(pwd)/file$number")
        [ "$n" -eq $((100 + number)) ] || fault "--spin $spin: file$number has $n requests instead of $((100 + number))"
        number=$((number + 1))
    done
done

# threads ARGUMENT...: sets $most to the largest number of threads during a run on all targets.
threads() {
    # shellcheck disable=SC2086 # several words
    timeout -s KILL 100 "$CUPEL" run $all --ioengine uring --direct 0 --overhead 0 --runtime 2s "$@" >out 2>err </dev/null &
    most=0
    while kill -0 $! 2>/dev/null; do
        for process in $(pgrep -P $!); do
            now=$(find "/proc/$process/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
            [ "$now" -le "$most" ] || most=$now
        done
        sleep 0.1
    done
    wait $! || [ $? -eq 5 ] || fault "cupel run $*: $(cat err)"
}
threads
own=$most
threads --rate_iops 100
[ "$most" -gt 0 ] || fault "no threads were seen"
[ $((own - most)) -ge $((targets - $(nproc) - 1)) ] ||
    fault "$most threads with requests that are due at instants, $own without, for $targets targets on $(nproc) processors"

# The maximum number of targets, each with its requests (5: a busy machine cannot keep the rate); one more target is refused.
# shellcheck disable=SC2046 # a word a target
"$CUPEL" run $(seq -f null%g 1 128) --ioengine null --iodepth 4 --overhead 0 --rate_iops 20 --runtime 1s --format csv >out 2>err </dev/null ||
    [ $? -eq 5 ] || fault "cupel run of 128 targets: $(tail -n 2 err)"
for target in null1 null64 null65 null128; do
    [ "$(requests $target)" -gt 0 ] || fault "there are no requests of $target"
done
# shellcheck disable=SC2046
status 2 run $(seq -f null%g 1 129) --ioengine null --rate_iops 100 --runtime 1s
holds err 'at most 128 targets'
finish
