#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps that are killed, stopped, shared, damaged, or on a full disk: no run is lost or done twice, and every setting is
# restored.
# Slow: runs that wait to be killed.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# every_pass FILE CONFIGURATIONS REPEATS: each configuration occurs once in every pass.
every_pass() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["control"] == 0 { print $at["configuration"], $at["block"] }' "$1" | sort -n >got_rows
    for c in $(seq "$2"); do
        for b in $(seq "$3"); do
            echo "$c $b"
        done
    done | sort -n >all_rows
    cmp -s got_rows all_rows || fault "$1: not every configuration once in every pass: $(diff got_rows all_rows | head -n 5)"
}

# wait_for SECONDS CONDITION...: waits until the command succeeds.
wait_for() {
    tries=$(($1 * 20))
    shift
    while [ $tries -gt 0 ]; do
        ! "$@" 2>/dev/null || return 0
        sleep 0.05
        tries=$((tries - 1))
    done
    fault "this did not come true: $*"
}
lines() {
    [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}
holds_word() {
    [ "$(cat "$1")" = "$2" ]
}

# kill -9 in the middle of runs, three times. Each time a process that survives unsets the level that the set command had set.
cat >plan.txt <<'END'
exec: echo "%n%"; echo "%n% %load%" >>begun; sleep 0.1
index: value,1,0
factor n: 1 2 3
factor load: low high
  set: echo %LEVEL% >level
  unset: echo off >level
repeats: 5
control: every 7 runs
END
for kill in 1 2 3; do
    "$CUPEL" sweep plan.txt -o killed --resume >out 2>err &
    sweep=$!
    wait_for 20 lines killed/sweep.log $((7 * kill))
    kill -KILL $sweep
    wait $sweep 2>/dev/null
    wait_for 30 holds_word level off
done
lost=$(($(wc -l <begun) - $(grep -c '^run,' killed/sweep.log)))
[ $lost -le 3 ] || fault "$lost runs were begun and are not in the log, of 3 that were killed"
longer 0 sweep plan.txt -o killed --resume
every_pass killed/runs.csv 6 5
[ "$(grep -c '^run,' killed/sweep.log)" -eq "$(($(wc -l <killed/runs.csv) - 1))" ] || fault 'the log and the table differ'
awk -F, 'NR > 1 && $3 != $1' killed/runs.csv >bad
[ ! -s bad ] || fault "values of other runs: $(cat bad)"
holds_word level off || fault 'the level was not unset'

# kill -9 while a set command runs: the command must not set its level after the level was unset.
sed 's/set: echo %LEVEL% >level/set: echo >>setting; sleep 1; echo %LEVEL% >level/' plan.txt >slow_set.txt
sed -i 's/^  unset: .*/  unset: echo off >level; echo >>unset/' slow_set.txt
"$CUPEL" sweep slow_set.txt -o setting.d >out 2>err &
sweep=$!
wait_for 20 lines setting 1
kill -KILL $sweep
wait $sweep 2>/dev/null
wait_for 30 lines unset 1
sleep 1.5
holds_word level off || fault 'a set command went on after its level was unset'

# If the target is another file after the first runs, it is not written to, whatever was permitted.
printf 'target: link\nsize: 1m\nruntime: 0.3s\nfactor rw: randwrite randread\nrepeats: 20\n' >link.txt
head -c 1M /dev/zero >mine
cp mine other
ln -s mine link
"$CUPEL" sweep link.txt -o link.d --overwrite >out 2>err &
sweep=$!
wait_for 20 lines link.d/sweep.log 3
ln -sf other new_link
mv new_link link
wait $sweep
got=$?
[ $got -ne 0 ] || fault 'the target was replaced, and the sweep went on'
holds err 'not the file or device any more'
head -c 1M /dev/zero | cmp -s - other || fault 'a file was overwritten that took the place of the target'

# Ctrl-C: exit status 5; the finished runs are printed and kept, and the others are run on --resume.
"$CUPEL" sweep plan.txt -o stopped >out 2>err &
sweep=$!
wait_for 20 lines stopped/sweep.log 6
kill -INT $sweep
wait $sweep
got=$?
[ $got -eq 5 ] || fault "Ctrl-C: exit status $got"
holds out 'INTERRUPTED: '
holds err 'stopped by a signal'
holds_word level off || fault 'Ctrl-C: the level was not unset'
status 2 sweep plan.txt -o stopped
sed 's/repeats: 5/repeats: 6/' plan.txt >changed.txt
refused 2 'the sweep of another plan: there "repeats: 6" is "repeats: 5"' sweep changed.txt -o stopped --resume
longer 0 sweep plan.txt -o stopped --resume
every_pass stopped/runs.csv 6 5

# A last line that a power cut left incomplete is removed; damage before it is refused.
cp -r stopped torn
printf 'run,3,0,5,17954165' >>torn/sweep.log
status 0 sweep plan.txt -o torn --resume --format csv
cmp -s out stopped/runs.csv || fault 'a torn last line changed the runs'
sed -i '$d' torn/sweep.log
cp torn/sweep.log whole
longer 0 sweep plan.txt -o torn --resume
every_pass torn/runs.csv 6 5
sed '5s/run,/run,1/' whole >torn/sweep.log
refused 2 'sweep.log:5: the line is damaged, and others follow it' sweep plan.txt -o torn --resume
: >torn/sweep.log
rm torn/plan.txt
longer 0 sweep plan.txt -o torn --resume
every_pass torn/runs.csv 6 5

# Two sweeps at the same time in one folder.
"$CUPEL" sweep plan.txt -o both >first.out 2>&1 &
sweep=$!
wait_for 20 lines both/sweep.log 3
refused 3 'another cupel sweep is at work there' sweep plan.txt -o both --resume
wait $sweep || fault "the first of two: $(cat first.out)"
every_pass both/runs.csv 6 5

# Shards together make the whole sweep, and every machine runs each configuration equally often.
sed '/control/d; s/sleep 0.1/true/; s/repeats: 5/repeats: 6/' plan.txt >shared.txt
for i in 1 2 3; do
    longer 0 sweep shared.txt -o shard$i --shard $i/3
    tail -n +2 shard$i/runs.csv
    for c in 1 2 3 4 5 6; do
        [ "$(awk -F, -v c=$c 'NR > 1 && $5 == c' shard$i/runs.csv | wc -l)" -eq 2 ] || fault "shard $i: configuration $c"
    done
done >rows
{ head -n 1 shard1/runs.csv; cat rows; } >all.csv
every_pass all.csv 6 6
refused 2 'another shard' sweep shared.txt -o shard1 --resume --shard 2/3
refused 2 '--shard 4/3' sweep shared.txt --shard 4/3

# Commands that fail, hang or do not exist; runs that fail.
sed 's/set: echo.*/set: echo broken >\&2; exit 3/' plan.txt >fails.txt
refused 4 'set of factor load, "echo broken >&2; exit 3", failed: exit code 3' sweep fails.txt
sed 's/  set: echo.*/  set: sleep 50/; s/^repeats/command-timeout: 1s\nrepeats/' plan.txt >hangs.txt
refused 4 'took longer than 1 s (command-timeout) and was killed' sweep hangs.txt -o hangs
sed 's/unset: echo off/unset: exit 4 #/' shared.txt >stays.txt
status 4 sweep stays.txt
holds err 'unset of factor load'
cat >sometimes.txt <<'END'
exec: [ %n% != 2 ] || [ -e fixed ] && echo %n%
index: value,1,0
factor n: 1 2 3 4 5 6 7 8
repeats: 1
END
status 4 sweep sometimes.txt -o sometimes
holds err '1 runs failed; the last one: exit code 1'
[ "$(wc -l <sometimes/runs.csv)" -eq 8 ] || fault "a failed run: $(wc -l <sometimes/runs.csv) lines"
touch fixed
status 0 sweep sometimes.txt -o sometimes --resume
every_pass sometimes/runs.csv 8 1
printf 'exec: exit 9; echo %%n%%\nfactor n: 1 2 3 4 5\nrepeats: 1\n' >never.txt
status 4 sweep never.txt
holds err '3 runs in a row failed; the last one: exit code 9'

# A full disk: finished runs are kept, and the sweep can be resumed later or on another disk.
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=16k none small 2>/dev/null; then
    trap 'umount -l "$FOLDER/small"; rm -rf "$FOLDER"' EXIT
    sed 's/sleep 0.1/true/; s/repeats: 5/repeats: 60/' plan.txt >many.txt
    status 4 sweep many.txt -o small/map
    holds err 'No space left'
    runs=$(grep -c '^run,' small/map/sweep.log)
    mount -o remount,size=4m small
    longer 0 sweep many.txt -o small/map --resume
    every_pass small/map/runs.csv 6 60
    [ "$runs" -gt 20 ] || fault "only $runs runs fit onto the disk"
fi
finish
