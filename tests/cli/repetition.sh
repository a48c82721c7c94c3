#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The prediction for a repeated session: it is in every format of every report and is computed again from records. cupel
# compare and --expect say whether a new session is within it.
# Slow: sessions and rounds of programs.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

source=${0%/*}/../..
case $source in
/*) ;;
*) source=$OLDPWD/$source ;;
esac
golden=$source/tests/golden/record

# column SEED COUNT MEAN SD: prints nearly normal numbers; each is the sum of twelve uniform ones.
column() {
    awk -v seed="$1" -v count="$2" -v mean="$3" -v sd="$4" 'BEGIN {
        x = seed
        for (i = 0; i < count; i++) {
            sum = 0
            for (k = 0; k < 12; k++) {
                x = (x * 16807) % 2147483647
                sum += x / 2147483647
            }
            printf "%.9g\n", mean + sd * (sum - 6)
        }
    }'
}

# predicted METRIC: its row of the CSV in out has a prediction that is wider than the interval on both sides.
predicted() {
    value=$(metric_of "$1" next_low)
    [ -n "$value" ] || fault "nothing is predicted of $1: $(cat out)"
    is_true "$(metric_of "$1" next_low) < $(metric_of "$1" ci_low)"
    is_true "$(metric_of "$1" next_high) > $(metric_of "$1" ci_high)"
}

# ---- a column of numbers ----

column 101 400 100 5 >readings
status 0 analyze readings
holds out 'A repetition should give a mean of '
holds out '(95 % prediction).'
status 0 analyze readings --format csv
is_true "$(value_of next_low) < $(value_of ci_low) && $(value_of next_high) > $(value_of ci_high)"
# For independent readings the difference of two means has sqrt(2) times the standard error of one mean.
is_true "$(value_of next_high) - $(value_of next_low) > 1.3 * ($(value_of ci_high) - $(value_of ci_low))"
status 0 analyze readings --format json
grep -q '"next_low": 9' out || fault "JSON: $(grep next out)"
status 0 analyze readings --format html
holds out 'A repetition should give a mean of '
# Without a steady level there is no prediction.
awk 'BEGIN { for (i = 0; i < 400; i++) print 100 + i }' >ramp
status 0 analyze ramp --format csv
[ -z "$(value_of next_low)" ] || fault "a ramp is predicted: $(value_of next_low)"
status 0 analyze ramp
! grep -q 'A repetition' out || fault 'a ramp is predicted'
printf '1\n' >one
status 0 analyze one --format json
holds out '"next_low": null'

# ---- a program ----

# A program that prints line $1 of the file.
cat >program <<'END'
#!/bin/sh
exec sed -n "$2p" "$1"
END
chmod +x program
column 202 60 100 5 >old
column 303 60 100 5 >again
column 404 60 90 5 >slower
for name in old again slower; do
    status 0 exec --rounds 60 -o "$name.d" --pi rate,1/s,0 -- ./program "$name" %ROUND%
    holds out 'A repetition should give '
done
status 0 report old.d --format csv
predicted rate
status 0 report old.d --format json
grep -q '"next_low": 9' out || fault "JSON of exec: $(grep next out)"
status 0 report old.d --format html
holds out '(95 % prediction of rate).'

# A new session compared with an old one: within the prediction or outside of it.
status 5 compare old.d again.d
holds out 'Within what a repetition gives: a session like old.d gives '
status 0 compare old.d slower.d
holds out 'Outside of what a repetition gives: a session like old.d gives '
status 5 compare old.d again.d --format json
holds out '"repetition": "within"'
status 0 compare old.d slower.d --format json
holds out '"repetition": "outside"'
# The CSV has the same word, and the limits of the prediction, which include the value if it is within.
status 5 compare old.d again.d --format csv
awk -F, 'NR == 2 { exit !($8 == "within" && $9 > 0 && $9 < $10) }' out || fault "CSV of a repetition: $(cat out)"
status 0 compare old.d slower.d --format csv
[ "$(awk -F, 'NR == 2 { print $8 }' out)" = outside ] || fault "CSV of no repetition: $(cat out)"
status 0 compare old.d again.d --expect 'B repeats A'
holds out "HOLDS: expected 'B repeats A'; rate: "
status 0 compare again.d old.d --expect 'A repeats B'
status 1 compare old.d slower.d --expect 'B repeats A'
holds err 'times the old value, and a repetition gives '
status 1 compare slower.d old.d --expect 'A repeats B'
status 1 compare slower.d old.d --expect 'B repeats A'
status 0 compare slower.d old.d --expect 'B repeats A or is faster'
status 1 compare old.d slower.d --expect 'B repeats A or is faster'
# An alternative without a prediction decides nothing and is named.
status 5 compare old.d mean=101,sd=5,n=60 --metric rate --expect 'B repeats A'
holds err 'the new one predicts nothing'
holds out 'mean=101,sd=5,n=60 predicts nothing'
refused 2 'nothing or "or is faster" ends it' compare old.d again.d --expect 'B repeats A or not'
refused 2 'one alternative twice' compare old.d again.d --expect 'A repeats A'

# Rounds with different work: the speed has a prediction if its interval is narrow. With a wide interval the prediction may
# have no upper end.
cat >work <<'END'
#!/bin/sh
sleep "$(awk -v w="$1" 'BEGIN { print 0.02 + w / 10000 }')"
END
chmod +x work
longer '0 5' exec --wps -w 100,2000 --limit 8s --format csv -- ./work %WORK_AMOUNT%
high=$(metric_of wps_speed ci_high)
! awk "BEGIN { exit !(${high:-0} > 0 && ${high:-0} < 1.6 * $(metric_of wps_speed ci_low)) }" || predicted wps_speed

# ---- a session of I/O ----

# Records of older versions: the prediction is computed from their readings, which never change.
status 0 report "$golden/format1_closed.cupel" --format csv
for metric in iops bandwidth response_time bps; do
    predicted "$metric"
done
[ -z "$(metric_of lat_p99 next_low)" ] || fault 'a percentile is predicted'
status 0 report "$golden/format1_closed.cupel"
holds out 'A repetition should give '
[ "$(wc -l <out)" -le 24 ] || fault "the first screen has $(wc -l <out) lines"
status 0 report "$golden/format1_closed.cupel" --full
holds out 'A repetition should give, with 95 % prediction intervals'
status 0 report "$golden/format1_closed.cupel" --format html
holds out 'A repetition should give, with 95 % prediction intervals'
status 0 report "$golden/format1_closed.cupel" --format json
[ "$(grep -c '"next_low": [0-9]' out)" -ge 4 ] || fault "JSON of run: $(grep next_low out)"
status 0 report "$golden/repeat1"
holds out 'A repetition of the 2 sessions should give '
status 0 merge "$golden/version5_merged.cupel" --format csv
predicted iops
status 0 merge "$golden/version5_merged.cupel" --metrics merged.prom --format csv
for end in low high; do
    sample=$(awk -v name="cupel_result_next_$end{metric=\"iops\",op=\"read\",unit=\"1/s\"}" '$1 == name { print $2 }' merged.prom)
    [ "$sample" = "$(metric_of iops "next_$end")" ] || fault "Prometheus has $sample as next_$end"
done
# A single pass is measured as a whole: there is no estimate and no prediction.
longer 0 run --ioengine null --overhead 0 --monitor-cost 0 --phases 200:0.2s,400:0.2s --format csv
[ -z "$(metric_of iops next_low)" ] || fault "a pass is predicted: $(cat out)"

finish
