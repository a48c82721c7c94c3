#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 at random moments: the record can be read up to the last flushed part, or the report says that there is nothing yet.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

mkdir target
count=12
number=0
with_rows=0
random 0.02 3.5 $count >moments
while [ $number -lt $count ]; do
    group=''
    for _ in 1 2 3 4; do
        number=$((number + 1))
        start $number run target --size 8m --iodepth 4 --ci 0.01% --limit 40s --overhead 0 -o $number.kept
        moment=$(sed -n ${number}p moments)
        (
            sleep "$moment"
            kill -KILL "$SESSION"
        ) &
        group="$group $number:$moment:$WATCHDOG"
    done
    for one in $group; do
        wait "${one##*:}" 2>/dev/null
        run=${one%%:*}
        what="killed at $(sed -n "${run}p" moments) s"
        if [ ! -e "$run.kept/record.cupel" ]; then
            echo "$what: before there was a record"
            continue
        fi
        limited report "$run.kept/record.cupel" --format csv >out 2>err
        got=$?
        case $got in
        5) [ "$(head -n 1 out | cut -c -14)" = metric,op,unit ] || fault "$what: no CSV" ;;
        2) [ ! -s out ] || fault "$what: a refusal wrote to standard output" ;;
        *) fault "$what: report: exit status $got: $(cat err)" ;;
        esac
        [ "$(grep -c "^cupel[ :]" err)" -eq 1 ] || fault "$what: the error is not one line: $(cat err)"
        [ -z "$(metric_of iops value)" ] || with_rows=$((with_rows + 1))
    done
done
[ -z "$(ls -A target)" ] || fault "left in the folder: $(ls -A target)"

# A few seconds after the first readings the report must have numbers.
start late run target --size 8m --ci 0.01% --limit 50s --overhead 0 -o late.kept
for _ in $(seq 300); do
    ! grep -q BTCH late.kept/record.cupel 2>/dev/null || break
    sleep 0.1
done
sleep 3
kill -KILL "$SESSION"
wait "$WATCHDOG" 2>/dev/null
status 5 report late.kept/record.cupel --format csv
holds err killed
is_true "$(metric_of iops value) > 0"
is_true "$(metric_of lat_max value) > 100"

# Killed while a named file was being filled: nothing is left of it, or (on filesystems where the file has its name from the
# beginning) a file of cupel's, which the next session fills up.
start filling run ./named --size 256m --limit 40s --overhead 0
sleep 0.1
kill -KILL "$SESSION"
wait "$WATCHDOG" 2>/dev/null
measured ./named --size 256m --limit 8s
is_true "512 * $(stat -c %b named) >= $(stat -c %s named)"
is_true "$(stat -c %s named) == 268435456 + 4096"
echo "$with_rows of $count had readings"
finish
