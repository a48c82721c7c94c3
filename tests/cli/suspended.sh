#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel itself is stopped for 2 s, as by SIGSTOP, a paused virtual machine or a laptop's sleep. That time counts in no value,
# a pass that contains it is not COMPLETE, and the record says the same. A target that does not answer for as long is measured
# as such.
# Timed: how long a stop lasted is measured.
# Slow: eight sessions of some seconds. Rates are low: a busy machine has time for them, and catches up after a stop.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

stop_seconds=2

# suspended KIND ARGUMENT...: runs cupel and stops it for 2 s as soon as its record has a chunk of this kind; leaves `got`,
# out and err. Readings (BTCH) are written only in rounds that count, since preparing may take long on a busy machine.
suspended() {
    kind=$1
    shift
    rm -rf kept
    "$CUPEL" "$@" --format csv -o kept >out 2>err </dev/null &
    process=$!
    until grep -q "$kind" kept/record.cupel 2>/dev/null || ! kill -0 $process 2>/dev/null; do
        sleep 0.05
    done
    kill -STOP $process
    sleep $stop_seconds
    kill -CONT $process
    wait $process
    got=$?
}

# nearest_outside: prints the latency in worst.csv that is nearest to lat_max, among requests that were neither in flight nor
# due during the stop. (Other programs may also keep a worker from its processor for long, and that counts.) The file has the
# 64 slowest requests; rates are so low that fewer are affected by the stop. Prints lat_max if it is below all 64.
nearest_outside() {
    tr -s ' \n' ' ' <kept/report.txt | sed -n 's/.*cupel was stopped for \([0-9.]*\) s at \([0-9.]*\) s.*/\1 \2/p' >stop
    awk -F, -v max="$max" -v stop="$(cat stop)" '
        BEGIN { split(stop, part, " "); from = part[2] + 0.2; to = part[2] + part[1] - 0.2 }
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
        { begin = $column["begin_ns"] / 1e9; latency = $column["latency_ns"]; end = begin + latency / 1e9 }
        begin > to || end < from { away = latency > max ? latency - max : max - latency
            if (!near || away < nearest) { near = latency; nearest = away } }
        { least = latency }
        END { print NR == 65 && max < least ? max : near + 0 }' kept/worst.csv
}

# is_void: 2 s without I/O would change the numbers; checks that they show no trace of it, and that the report mentions the
# stop.
is_void() {
    holds kept/report.txt 'cupel was stopped for'
    holds kept/report.txt 'that stretch does not count'
    max=$(metric_of lat_max value)
    [ "$max" ] || fault "there is no longest latency: $(cat err)"
    delayed=$(awk "BEGIN { print ($max > 1e8 * $stop_seconds) }")
    if [ "$delayed" = 1 ]; then
        near=$(nearest_outside)
        is_true "$max > 0.98 * $near && $max < 1.02 * $near"
    fi
    cp out first
    limited report kept/record.cupel --format csv >out 2>err
    cmp -s first out || fault "report gives other numbers than the run: $(diff first out | head -n 4)"
    limited report kept/record.cupel --full >out 2>err
    holds out 'that stretch does not count'
}

# A closed loop continues after the stop. One I/O takes 20 ms, 50 I/Os a second: with the stop in it the mean rate would be a
# third lower, and rate and response time would no longer be each other's inverse. On a slow machine both are different but
# still inverse, unless a worker was kept from its processor between two I/Os.
for jobs in 1 2; do
    suspended BTCH run --ioengine null --null-script const:20ms --numjobs $jobs --preset quick --ci 30% --interval pilot --changepoint none --min-samples 5 \
        --min-time 2s --limit 30s --overhead 0
    case $got in 0 | 5) ;; *) fault "a closed loop that was stopped: exit status $got" ;; esac
    # Rounds after the stop are long enough for slices that count, although little was measured before.
    [ -n "$(metric_of iops ci_low)" ] || fault "a closed loop that was stopped has no interval: $(tail -n 2 err)"
    product=$(awk "BEGIN { print $(metric_of iops value) * $(metric_of response_time value) / $jobs }")
    is_void
    [ "$delayed" = 1 ] || is_true "$product > 0.9e9 && $product < 1.1e9"
done

# The same on a file.
head -c 4194304 /dev/urandom >data
suspended BTCH run data --direct 0 --preset quick --ci 100% --min-samples 5 --min-time 2s --limit 30s --overhead 0
case $got in 0 | 5) ;; *) fault "a file, stopped: exit status $got: $(cat err)" ;; esac
is_void

# Stopped in a trial round: the round is repeated, and slices have the same length as without a stop.
suspended RBEG run --ioengine null --null-script const:5ms --preset quick --ci 100% --min-samples 5 --min-time 1s \
    --limit 10s --overhead 0
is_void
is_true "$(awk -F, 'NR == 3 { print $1 }' kept/unit_readings.csv) + 0 < $stop_seconds / 4"

# Requests that were due during the stop were late because of cupel, and do not count.
suspended BTCH run --ioengine null --null-script const:1ms --rate_iops 20 --preset quick --ci 100% --min-samples 5 \
    --min-time 2s --limit 20s
case $got in 0 | 5) ;; *) fault "an open loop that was stopped: exit status $got" ;; esac
is_void

# A single pass must not have a gap, so it is not complete.
suspended BTCH run --ioengine null --null-script const:1ms --phases 20:4s
[ $got -eq 5 ] || fault "phases that were stopped: exit status $got instead of 5"
holds err 'cupel itself was stopped'
is_void
holds out 'NOT DECIDED'

awk 'BEGIN { for (i = 0; i < 80; i++) printf "128166%012d,hm,1,Read,%d,4096,0\n", 500000 * i, 4096 * (i * 7919 % 60000) }' \
    >trace
suspended BTCH replay trace --ioengine null --null-script const:1ms
[ $got -eq 5 ] || fault "a replay that was stopped: exit status $got instead of 5"
is_void

# The target does not answer for 2 s while cupel runs: that is the target's latency, and counts.
stalls='2s@const:1ms; 1900ms@const:2s; const:1ms'
longer '0 5' run --ioengine null --null-script "$stalls" --phases 50:5s --iodepth 1 -o stalled --format csv
is_true "$(metric_of lat_max value) >= 2e9"
is_true "$(metric_of response_time value) > 100e6"
if grep -q 'cupel was stopped' stalled/report.txt; then fault "a target's stall is called a suspension"; fi
# Three such stalls, since the first ones may be over before the rounds that count begin.
stall='2s@const:1ms; 1900ms@const:2s'
limited run --ioengine null --null-script "$stall; $stall; $stall; const:1ms" --preset quick --ci 100% --min-samples 5 --min-time 5s --limit 11s \
    --overhead 0 -o slow --format csv >out 2>err
empty=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^iops/) k = i } NR > 1 && $k == 0' slow/unit_readings.csv | wc -l)
is_true "$empty >= 10"
if grep -q 'cupel was stopped' slow/report.txt; then fault "a target's stall is called a suspension"; fi
finish
