#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The user's components (--graph), beside the data path and on it: a bottleneck appears in verdict, report and record.
# Counters that do not count or disappear, invalid limits, and files that are refused.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

umask 022
quick='--preset quick --min-samples 2 --min-time 1s --limit 5s --overhead 0 --block-layer 0'

# measured EXPECTED OPTION...: runs on the null backend with the components in `graph`; a busy machine may stay undecided.
measured() {
    expected=$1
    shift
    # shellcheck disable=SC2086 # the options are words
    longer "$expected" run --ioengine null --graph graph --full $quick "$@"
    tr -s ' \n' ' ' <out >flat
}

# ---- beside the path: a level at 18 of 20 all the time, a counter of one second a second, one that never counts, and wrong
# limits ----

cat >graph <<'END'
# components of this test
[component queue]
level_command = echo depth: 18
key = depth
limit = 20
[component clock line]
counter = /proc/uptime
limit = 2
unit = s
[component still]
counter = /proc/sys/kernel/pid_max
limit = 5 MB/s
[component narrow]
level = /proc/sys/kernel/pid_max
limit = 2
[component leaves]
level_command = test ! -e gone && echo 3
every = 200ms
END
(
    while [ ! -e kept/record.cupel ]; do sleep 0.1; done
    sleep 1
    touch gone
) &
measured 5 --strict-bottleneck -o kept
wait
holds err 'not the processor: queue was saturated 100 % of the time (see --strict-bottleneck)'
holds flat 'BOTTLENECK: queue was saturated 100 % of the time (90 % of its limit on average)'
holds flat 'Warning: component still: /proc/sys/kernel/pid_max: it does not count: its number stayed the same'
holds flat 'Warning: component narrow was used to '
holds flat 'graph has a limit that is too low'
holds flat 'Warning: component leaves: test ! -e gone && echo 3: its exit status is 1, first seen after '
grep -q 'clock line [0-9]* % of its limit' flat || fault "the clock line is not shown: $(grep -A 9 Watched out)"
grep -q 'queue 90 % of its limit, at most 90 %: the bottleneck, saturated 100 % of the time' flat ||
    fault "the queue is not shown as it was: $(grep -A 9 Watched out)"
awk -F, '$1 == "clock line" { use = $0 } END { exit use == "" }' kept/data_path.csv || fault 'no row of the clock line'
cp out first
status 5 report kept --full
cmp -s first out || fault "the record says something else: $(diff first out | head -n 4)"
rm -r kept gone

# ---- on the path: between two parts that a first run lists ----

# shellcheck disable=SC2086 # the options are words
longer '0 5' run file --size 8m $quick -o kept
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["on_path"] == 1 { print $at["part"] }' kept/data_path.csv >parts
if [ "$(wc -l <parts)" -ge 2 ]; then
    first=$(head -n 1 parts)
    last=$(tail -n 1 parts)
    printf '[component pipe]\nbetween = %s..%s\nlevel_command = echo 0.85\nlimit = 1\n' "$last" "$first" >graph
    printf '[component wide]\nbetween = %s..%s\nlimit = 900 TB/s\n' "$first" "$last" >>graph
    # shellcheck disable=SC2086 # the options are words
    longer 5 run file --graph graph --full --strict-bottleneck $quick -o joined
    tr -s ' \n' ' ' <out >flat
    holds err 'not the disk: pipe was saturated 100 % of the time'
    holds flat 'BOTTLENECK: pipe was saturated 100 % of the time (85 % of its limit on average)'
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["part"] == "pipe" { pipe = $at["on_path"] && $at["bottleneck"] }
        $at["part"] == "wide" { wide = $at["limit_read"] == 9e14 && $at["limit_write"] == 9e14 && $at["on_path"] }
        END { exit !(pipe && wide) }' joined/data_path.csv || fault "the path is $(cat joined/data_path.csv)"

    printf '[component pipe]\nbetween = %s..xyzzy\nlimit = 1 GB/s\n' "$first" >graph
    # shellcheck disable=SC2086 # the options are words
    refused 2 "graph:1: component pipe: the data path has no part xyzzy, but $first" run file --graph graph $quick
fi

# ---- what is refused, before anything is measured ----

refused 2 'nowhere: No such file' run --ioengine null --graph nowhere
refused 2 'a file of components is a regular file' run --ioengine null --graph .
printf '[component a]\nlimit = 12 XB/s\n' >graph
refused 2 'graph:2:12: a unit is B/s' run --ioengine null --graph graph
printf '[component a]\ncounter = /nowhere/at/all\nlimit = 3\n' >graph
refused 2 'graph:1: component a: /nowhere/at/all: No such file' run --ioengine null --graph graph
printf '[component a]\nlevel_command = no-such-program\n' >graph
refused 2 'component a: no-such-program: its exit status is 127' run --ioengine null --graph graph
printf '[component a]\nlevel_command = touch executed; echo 1\n' >graph
refused 2 '--graph and --monitor-cost 0 exclude each other' run --ioengine null --graph graph --monitor-cost 0
[ ! -e executed ] || fault 'a command ran though nothing was watched'
if [ "$(id -u)" -eq 0 ]; then
    chmod o+w graph
    refused 3 'graph: others than root can write it' run --ioengine null --graph graph
    [ ! -e executed ] || fault 'a command ran out of a file that others can write'
fi

finish
