#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGINT and SIGTERM at random moments, from the start to after the trial rounds: each time there is a valid report and
# record, and nothing is left in the measured folder.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

mkdir target
count=16
number=0
at_once=4
random 0.05 3 $count >moments

# check_one NUMBER SIGNAL MOMENT STATUS: checks the result of one such run.
check_one() {
    what="SIG$2 at $3 s (run $1)"
    [ "$4" -eq 5 ] || fault "$what: exit status $4: $(cat "$1.err")"
    [ "$(grep -c "^cupel[ :]" "$1.err")" -eq 1 ] || fault "$what: the error is not one line: $(cat "$1.err")"
    cp "$1.out" out
    [ "$(head -n 1 out)" = metric,op,unit,value,ci_low,ci_high,confidence,n,effective_n,note,next_low,next_high,target,rw,bs,iodepth,numjobs,label,date ] ||
        fault "$what: no CSV: $(head -n 2 out)"
    [ -n "$(metric_of elapsed value)" ] || fault "$what: there is no elapsed"
    [ -z "$(awk -F, 'NF < 17' out)" ] || fault "$what: a row of CSV is cut off"
    limited report "$1.kept/record.cupel" --format csv >again 2>err
    [ $? -eq 5 ] || fault "$what: report: $(cat err)"
    cmp -s again out || fault "$what: the record gives another result: $(diff again out | head -n 4)"
    for file in report.txt summary.csv rounds.csv unit_readings.csv histogram.csv hardware.csv; do
        [ -e "$1.kept/$file" ] || fault "$what: there is no $file"
    done
}

while [ $number -lt $count ]; do
    group=''
    for _ in $(seq $at_once); do
        number=$((number + 1))
        rw=randread
        [ $((number % 3)) -ne 0 ] || rw=randrw
        start $number run target --size 8m --rw $rw --iodepth $((number % 4 * 4 + 1)) --seed $number --ci 0.01% \
            --limit 40s --overhead 0 --format csv -o $number.kept
        moment=$(sed -n ${number}p moments)
        signal=INT
        [ $((number % 2)) -eq 0 ] || signal=TERM
        (
            sleep "$moment"
            kill -$signal "$SESSION"
        ) &
        group="$group $number:$signal:$moment:$WATCHDOG"
    done
    for one in $group; do
        wait "${one##*:}"
        got=$?
        one=${one%:*}
        rest=${one#*:}
        check_one "${one%%:*}" "${rest%%:*}" "${rest#*:}" $got
    done
done
[ -z "$(ls -A target)" ] || fault "left in the folder: $(ls -A target)"

# A named file gets its name when it is completely filled: after an interruption nothing is left of it.
start filling run ./named --size 512m --limit 40s --overhead 0 --format csv
sleep 0.15
kill -INT "$SESSION"
wait "$WATCHDOG"
got=$?
[ $got -eq 5 ] || fault "stopped while filling: exit status $got: $(cat filling.err)"
[ ! -e named ] || fault "a file that was not finished was left: $(ls -l named)"
finish
