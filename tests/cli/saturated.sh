#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A part that was saturated for a share of the time is the bottleneck: in the verdict, in the data path and, with
# --strict-bottleneck, in the exit status; also when read from the record. Reads from the page cache keep their processor
# busy. If another program takes the processor, which is not a bottleneck, the session is repeated on another one.
# Real-time: on a busy machine the worker has the processor that it is to saturate.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

quick='--preset quick --min-samples 2 --min-time 1s --limit 4s --overhead 0'
soon='--interval pilot --changepoint none' # saturation shows in the first second
processors=$(awk '/^Cpus_allowed_list/ { n = split($2, parts, ","); for (i = 1; i <= n; i++) { m = split(parts[i], ends, "-")
    for (c = ends[1]; c <= ends[m] + 0; c++) print c } }' /proc/self/status)

# column FOLDER PART NAME: prints a cell of that part's row in the data path.
column() {
    awk -F, -v part="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        $1 == part { print $at; exit }' "$1/data_path.csv"
}

# buffered FOLDER OPTION...: reads from the page cache on $cpu into a new FOLDER; leaves out, err and $got.
buffered() {
    rm -rf "$1"
    into=$1
    shift
    # shellcheck disable=SC2086 # the options are words
    limited run file --size 8m --ioengine sync --direct 0 --cpus "$cpu" $quick $soon -o "$into" "$@" >out 2>err
    got=$?
}

found=
for cpu in $processors $processors $processors; do
    buffered kept --full --strict-bottleneck --sla 'iops>1' --precise 'iops:90%'
    [ "$(column kept "cpu$cpu" bottleneck)" = 1 ] && found=1 && break
done
[ -n "$found" ] || fault "other programs had so much of processors $processors that none was saturated: $(head -n 3 out)"

if [ -n "$found" ]; then
    is_true "$(column kept "cpu$cpu" saturated) >= 0.2 && $(column kept "cpu$cpu" saturated) <= 1"
    [ "$got" -eq 5 ] || fault "--strict-bottleneck: exit status $got instead of 5"
    # lines of progress may come before it
    [ "$(grep -c "^cupel run: " err)" -eq 1 ] || fault "the reason is not one line: $(cat err)"
    grep -q "cupel run: not the [a-z ]*: cpu$cpu was saturated [0-9]* % of the time (see --strict-bottleneck)" err ||
        fault "the reason is $(cat err)"
    holds out 'SLA NOT DECIDED: 0 of 1 clause pass, 1 undecided'
    holds out 'no valid measurement'
    grep -q '^ *undecided *iops:90%' out || fault "a width of no valid measurement counts as reached"
    grep -q '^NOT DECIDED: ' out || fault "the verdict is $(head -n 5 out)"
    tr -s ' \n' ' ' <out >flat
    grep -q "not the disk: cpu$cpu was saturated [0-9.]* % of the time" flat || fault "the verdict does not name cpu$cpu"
    grep -q "BOTTLENECK: .*cpu$cpu was saturated" flat || fault "the bottleneck is not cpu$cpu"

    # The record gives the same result in every format.
    cp out first
    status 5 report kept --full
    cmp -s first out || fault "the record says something else: $(diff first out | head -n 4)"
    holds err 'see --strict-bottleneck'
    status 5 report kept --format json
    holds out '"verdict": "bottleneck"'
    holds out '"saturated": '
    status 5 report kept --format csv
    grep -q "^iops,read,.*bottleneck: cpu$cpu, saturated [0-9]* % of the time" out || fault "the CSV has no bottleneck"
fi

# With several sessions, those that another part limited are not decided.
# shellcheck disable=SC2086 # the options are words
limited run file --size 8m --ioengine sync --direct 0 --cpus "$cpu" --preset quick --ci 100% --min-samples 2 --min-time 0.5s \
    --overhead 0 --limit 8s --repeat 2 --strict-bottleneck $soon -o several >out 2>err
got=$?
if grep -q ',bottleneck,' several/sessions.csv; then
    [ $got -eq 5 ] || fault "several sessions: exit status $got instead of 5"
    holds err 'of 2 sessions (see --strict-bottleneck)'
fi

# While another program keeps the processor busy, only the workers' share counts as saturation. If the machine leaves no time
# to watch the processor, or no time for the program, the session is repeated with a longer time.
if command -v taskset >/dev/null; then
    for time in 4s 8s 16s; do
        # shellcheck disable=SC2016 # the loop is the other shell's
        taskset -c "$cpu" sh -c 'while :; do :; done' &
        spinner=$!
        trap 'kill $spinner; rm -rf "$FOLDER"' EXIT
        rm -rf beside
        # shellcheck disable=SC2086 # the options are words
        limited run file --size 8m --ioengine sync --iodepth 1 --direct 0 --cpus "$cpu" --rate_iops 100 --spin never $quick \
            --limit $time --ci 100% --strict-bottleneck -o beside >out 2>err
        kill $spinner
        trap 'rm -rf "$FOLDER"' EXIT
        utilisation=$(column beside "cpu$cpu" utilisation)
        awk -v u="${utilisation:-0}" 'BEGIN { exit !(u > 0.5) }' && break
    done
    is_true "${utilisation:-0} > 0.5"
    [ "$(column beside "cpu$cpu" saturated)" = 0 ] || fault "another program saturated cpu$cpu, not the session"
    grep -F 'strict-bottleneck' err && fault 'another program is no bottleneck'
fi

# On the null engine the processor is what is measured, so it is not reported as a bottleneck.
# shellcheck disable=SC2086 # the options are words
limited run --ioengine null --null-script 'normal:95us,5us' --iodepth 32 --cpus "$cpu" $quick $soon --ci 100% \
    --strict-bottleneck >out 2>err
grep -F 'strict-bottleneck' err && fault 'the processor is what the null engine measures'
grep -q 'BOTTLENECK' out && fault "the null engine has a bottleneck: $(grep -A 2 BOTTLENECK out)"

refused 2 '--strict-bottleneck and --monitor-cost 0 exclude each other' run file --size 8m --strict-bottleneck --monitor-cost 0
status 0 replay --help
holds out '--strict-bottleneck'
finish
