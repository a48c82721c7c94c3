#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel analyze: known results for small series, every input format, refusals, exit statuses.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# 0..99 shuffled by a full-period step: no trend, mean 49.5, sd sqrt(101 * 100 / 12).
awk 'BEGIN { for (i = 0; i < 100; i++) print (i * 37 + 11) % 100 }' >flat
status 0 analyze flat --format csv
[ "$(head -n 1 out)" = quantity,value ] || fault "the header is $(head -n 1 out)"
for quantity in n mean ci_low ci_high confidence stable_begin stable_end changepoints phase autocorrelation \
    subsession_size effective_n sd min median max; do
    grep -q "^$quantity," out || fault "there is no $quantity"
done
value_is n 100
value_is stable_begin 0
value_is stable_end 100
value_is changepoints ''
value_is phase flat
value_is min 0
value_is max 99
value_near mean 49.5 1e-12
value_near median 49.5 1e-12
value_near sd 29.011491975882016 1e-12
value_near confidence 0.95 1e-12
is_true "$(value_of ci_low) < 49.5 && $(value_of ci_high) > 49.5"

# 60 readings at level 50, then 300 at 100: the 60 are a warm-up and left out.
awk 'BEGIN { for (i = 0; i < 360; i++) print (i < 60 ? 50 : 100) + ((i * 37 + 11) % 100) / 50 - 0.99 }' >warm
status 0 analyze warm --format csv
value_is changepoints 60
value_is stable_begin 60
value_is stable_end 360
value_is phase warmup
value_near mean 100 1e-3
status 0 analyze warm --changepoint none --format csv
value_is changepoints ''
value_is stable_begin 0
value_near mean 91.6667 1e-3

# A fall in level: for a rate it is a slowdown, for a time it is the end of the warm-up.
awk 'BEGIN { for (i = 0; i < 360; i++) print (i < 300 ? 100 : 50) + ((i * 37 + 11) % 100) / 50 - 0.99 }' >fall
status 0 analyze fall --format csv
value_is phase slowdown
value_is stable_end 300
status 0 analyze fall --lower-is-better --format csv
value_is phase warmup

# The same numbers in other input formats, and from standard input.
status 0 analyze flat --format csv
cp out expected
"$CUPEL" analyze - --format csv <flat >out
cmp -s out expected || fault "a pipe gives another result than the file"
{
    echo 'time,iops'
    awk '{ print NR "," $1 }' flat
} >table.csv
for column in iops 2; do
    status 0 analyze table.csv --column $column --format csv
    cmp -s out expected || fault "column $column gives another result than the plain file"
done
status 0 analyze table.csv --column=2
holds out 'arithmetic mean 49.5'
status 0 analyze table.csv --column iops --format json
holds out '"mean": 49.5'

# Two readings of 40 and 60: the mean of rates over equal work is 48.
printf '40\n60\n' >rates
status 0 analyze rates --mean harmonic --format csv
value_near mean 48 1e-12
printf '1\n2\n-3\n' >negative
refused 2 'above 0' analyze negative --mean harmonic

# Readings of 0 and 1 only: Wilson's interval stays between 0 and 1.
awk 'BEGIN { for (i = 0; i < 50; i++) print i != 20 }' >pass_fail.txt
status 0 analyze pass_fail.txt --mean proportion --format csv
value_is mean_method proportion
value_near mean 0.98 1e-12
is_true "$(value_of ci_low) > 0.8 && $(value_of ci_low) < 0.95 && $(value_of ci_high) < 1"
awk 'BEGIN { for (i = 0; i < 50; i++) print 0 }' >never
status 0 analyze never --mean proportion --format csv
value_near ci_high 0.07134759913335874 1e-9
refused 2 'reading 2 is 2' analyze negative --mean proportion

# A requested precision that was not reached gives exit status 5, with the whole result. Without a request the status is 0.
status 5 analyze flat --ci 1% --format csv
value_is n 100
value_is max 99
holds err 'not as precise as asked; +-'
holds err '100 readings, the least: 250'
status 5 analyze flat --ci 100% --min-samples 101 --format csv
holds err '100 independent readings, asked for: 101'
holds err 'the least: 404'
status 0 analyze warm --ci 5%
status 5 analyze rates --preset quick
printf '7\n' >one
status 0 analyze one --format csv
value_is mean 7
value_is ci_low -inf
value_is ci_high inf
status 0 analyze one
holds out '1 reading of one'
grep -q 'asked' out && fault 'nothing was asked for, and the text says so'
status 5 analyze one --ci 5%
holds err '; 1 reading, the least'

# The interval depends on the readings and not on the default precision. A requested precision widens it, as the stop rule
# looks at the data several times.
awk 'BEGIN { for (i = 0; i < 600; i++) print 100 + (i * 37 + 11) % 100 / 50 }' >long
status 0 analyze long --format csv
narrow=$(value_of ci_high)
status 0 analyze long --ci 10% --format csv
is_true "$(value_of ci_high) > $narrow"
status 0 analyze long --interval pilot --format csv
narrow=$(value_of ci_high)
status 0 analyze long --interval pilot --ci 10% --format csv
value_is ci_high "$narrow"

# A warm-up that slowly approaches its level is left out including its tail, and the text says so.
awk 'BEGIN { for (i = 0; i < 600; i++) print 100 - 60 * exp(-i / 40) + (i * 37 + 11) % 100 / 10 }' >settles
status 0 analyze settles
holds out 'because the level was still settling; steady'
status 0 analyze settles --format csv
is_true "$(value_of stable_begin) > $(value_of changepoints | sed 's/.*;//')"
status 0 analyze warm
grep -q settling out && fault 'a clean step has no tail, and the text names one'

# With few readings an obvious change is found. Readings that were not fully searched for changes are never called steady.
awk 'BEGIN { for (i = 0; i < 26; i++) print (i < 13 ? 100 : 50) + ((i * 7) % 5) / 10 }' >step
status 0 analyze step
grep -q 'Steady from start to end' out && fault 'a step among 26 readings is called steady'
status 0 analyze step --format csv
value_is changepoints 13
value_is phase no_steady_state
value_is changepoint_search plain
seq 1 40 >ramp
status 0 analyze ramp
grep -q 'Steady from start to end' out && fault 'a ramp of 40 readings is called steady'
holds out 'the level moves from start to end'
holds out 'by 40.00 over 40 readings'
status 0 analyze ramp --format csv
value_is phase no_steady_state
value_is slow_shift 1
status 5 analyze ramp --ci 10%
seq 1 8 >few
status 0 analyze few
holds out 'too few to find a change'
status 0 analyze few --format csv
value_is phase flat
value_is changepoint_search none
head -n 30 flat >thirty
status 0 analyze thirty
grep -q 'Steady from start to end' out && fault '30 readings are called steady'
holds out 'No step and no trend is plain'
status 0 analyze flat --changepoint none
grep -q 'Steady from start to end' out && fault 'readings that were not searched are called steady'
holds out 'No change of the level was looked for'

# A short dip between two intervals of one level belongs to the steady part; a change of level after it does not.
awk 'BEGIN { for (i = 0; i < 400; i++) print (i >= 180 && i < 220 ? 60 : 100) + (i * 37 + 11) % 100 / 10 }' >dip
status 0 analyze dip --format csv
value_is phase flat
value_is changepoints '180;220'
value_is stable_begin 0
value_is stable_end 400
is_true "$(value_of mean) < 101 && $(value_of ci_high) > 104"
status 0 analyze dip
tr '\n' ' ' <out | grep -q 'It was at another level from reading 180 to reading' || fault 'the dip is not reported'
awk '{ print NR <= 200 ? $1 : $1 + 10 }' dip >dip_and_step
status 0 analyze dip_and_step --format csv
value_is phase no_steady_state

# --interval pilot uses Pilot's stop rule. Its limit for the autocorrelation applies to no other interval.
status 0 analyze flat --interval pilot --ci 100% --min-samples 33
status 5 analyze flat --interval pilot --ci 100% --min-samples 34
holds err '; 33 independent readings, asked for: 34'
status 5 analyze flat --ci 100%
refused 2 '--autocorr needs --interval pilot' analyze flat --autocorr 0.1
awk 'BEGIN { y = 0; for (i = 0; i < 400; i++) { y = 0.8 * y + (i * 37 + 11) % 100; print y } }' >slow
status 0 analyze slow --interval pilot --autocorr 0.5 --format csv
few=$(value_of subsession_size)
status 0 analyze slow --interval pilot --autocorr 0.01 --format csv
is_true "$(value_of subsession_size) > $few"

# Two readings, and readings near the largest and smallest values of a double.
status 0 analyze rates --format csv
value_near sd 14.142135623730951 1e-12
value_near ci_high 177.06204736174694 1e-9
awk '{ print $1 "e-320" }' flat >tiny
status 0 analyze tiny --format csv
value_near mean 49.5e-320 1e-3
awk '{ print $1 "e55" }' flat >huge
status 0 analyze huge --format csv
value_near sd 29.011491975882016e55 1e-12
awk '{ print $1 "e80" }' flat >huge
refused 2 'huge, line 1: "11e80" is too large: readings are of at most 1e60' analyze huge

# A higher confidence widens the interval.
status 0 analyze flat --confidence 90% --format csv
narrow=$(value_of ci_high)
status 0 analyze flat --confidence 0.99 --format csv
is_true "$(value_of ci_high) > $narrow"
value_near confidence 0.99 1e-12

# No steady state: three levels of equal length.
awk 'BEGIN { for (i = 0; i < 300; i++) print 100 * (1 + int(i / 100)) + ((i * 37 + 11) % 100) / 50 }' >steps
status 0 analyze steps --format csv
value_is phase no_steady_state
value_is stable_begin 0
value_is stable_end 300
value_is changepoints '100;200'
status 0 analyze steps
grep -q 'steady part' out && fault 'a steady part without a steady state'
status 5 analyze steps --ci 100% --format csv
value_is phase no_steady_state
holds err 'no steady state'

# Percentiles: the nearest-rank value is always reported, its interval only when there are enough readings.
status 0 analyze flat --format csv
value_is p50 49
value_is p99 98
value_is p99.99 99
is_true "$(value_of p50_ci_low) < 49 && $(value_of p50_ci_high) > 49"
value_is p99_ci_low ''
value_is p99_ci_high ''
value_of p99_note | grep -q 'no interval yet: too few independent samples; about [0-9]* values more' ||
    fault "the note on p99 is $(value_of p99_note)"
status 0 analyze flat
holds out 'no interval yet: too few'
awk 'BEGIN { srand(3); for (i = 0; i < 20000; i++) print 100 + 10 * log(1 / (1 - rand())) }' >waits
status 0 analyze waits --format csv
is_true "$(value_of p99_ci_low) < 146.05 && $(value_of p99_ci_high) > 146.05"
is_true "$(value_of p99_ci_high) - $(value_of p99_ci_low) < 5"
is_true "$(value_of p99.9_ci_low) < 169.08 && $(value_of p99.9_ci_high) > 169.08"
value_is p99_note ''
status 0 analyze waits --confidence 99% --format json
holds out '"name": "p99.9"'
awk '{ print $1 - 500 }' waits >below_zero
status 0 analyze below_zero --format csv
is_true "$(value_of p99_ci_low) < -353.95 && $(value_of p99_ci_high) > -353.95"

# --sla with limits in the column's own unit: every verdict has its exit status and is in the first line.
status 0 analyze waits --sla 'p99<160, mean<115,mean>105,p50>100'
[ "$(head -c 8 out)" = 'SLA KEPT' ] || fault "the first line is $(head -n 1 out)"
holds out 'pass       p99<160'
holds out ' readings cannot be excluded.'
status 1 analyze waits --sla 'p99<160, mean<105'
holds out 'SLA BROKEN: 1 of 2 clauses pass, 1 fails'
holds err 'mean<105 does not hold'
status 5 analyze waits --sla 'p99<160,mean<110'
holds out 'SLA NOT DECIDED: 1 of 2 clauses pass, 1 undecided'
holds out 'readings more'
holds err 'mean<110 is not decided'
status 1 analyze waits --sla 'p99<120' --ci 0.01%
status 5 analyze waits --sla 'p99<160' --ci 0.01%
status 5 analyze waits --sla 'p99.99<1000' --format csv
value_is clause_1 'p99.99<1000'
value_is clause_1_verdict undecided
is_true "$(value_of clause_1_more_readings) > 1000 && $(value_of clause_1_more_readings) < 100000"
status 1 analyze waits --sla 'p90<110' --format json
holds out '"verdict": "fail"'
holds out '"more_readings": 0'
status 0 analyze waits --sla 'max<1000, p99<160'
holds out 'promises nothing of'
status 1 analyze waits --sla 'max<100'
status 0 analyze below_zero --sla 'mean<-380,p99>-360'
status 5 analyze rates --sla 'p50<100'
holds out 'too few stretches of time'
status 0 analyze never --sla 'mean<1' # all readings are equal and below the limit
# Readings without a steady level can fail a limit but not keep it. steps: three levels from 100 to 300.
awk 'BEGIN { for (i = 0; i < 300; i++) print 100 * (1 + int(i / 100)) + ((i * 37 + 11) % 100) / 50 }' >steps
status 5 analyze steps --sla 'p50<1000'
holds out 'there is no steady level'
status 5 analyze fall --sla 'p50>99'
holds out 'ends at another level'
status 1 analyze fall --sla 'p50<99'
status 0 analyze warm --sla 'p50>99'
# --sla judges the mean that is shown.
awk 'BEGIN { for (i = 0; i < 2000; i++) print i % 2 ? 40 : 60 }' >two_rates
status 0 analyze two_rates --mean harmonic --sla 'mean<49,mean>47'
status 1 analyze two_rates --mean harmonic --sla 'mean>49'
status 0 analyze two_rates --sla 'mean>49'
awk 'BEGIN { for (i = 0; i < 2000; i++) print i % 200 == 7 }' >failures
status 0 analyze failures --mean proportion --sla 'mean<0.05'
status 1 analyze failures --mean proportion --sla 'mean>0.05'
status 5 analyze failures --mean proportion --sla 'mean<0.006'
refused 2 '--sla: mean<2: a proportion lies between 0 and 1, as in mean<0.01' \
    analyze failures --mean proportion --sla 'mean<2'
refused 2 'a harmonic mean is above 0, as in mean<200' analyze two_rates --mean harmonic --sla 'mean>-1'
refused 2 "--sla: at character 1, 'iops>5': a column of numbers has its mean, its maximum and its percentiles, as in p99<500" \
    analyze flat --sla 'iops>5'
refused 2 'a column of numbers has' analyze flat --sla 'errors=0'
refused 2 'a column of numbers has' analyze flat --sla 'read.p99<5'
refused 2 "at character 5, '5us': the numbers of a column have no unit, as in p99<500" analyze flat --sla 'p99<5us'

# Readings as programs print them: after a name; with units, converted to the first reading's unit; in JSON.
printf 'time=1.5 ms\ntime=1700 us\ntime = .0016 s\n' >named
status 0 analyze named --format csv
value_near mean 1.6 1e-9
status 0 analyze named
holds out 'column time (ms)'
printf 'iops=5 time=1.42\niops=6 time=1.5\n' >pairs
status 0 analyze pairs --column time --format csv
value_near mean 1.46 1e-9
refused 2 'has 2 columns' analyze pairs
printf 'time=1\nother=2\n' >other
refused 2 'line 2: "other=2" has another name' analyze other
printf '1 ms\n2 MB/s\n' >other
refused 2 'line 2: "2 MB/s" has not the unit of the readings before' analyze other
printf '1\n2 ms\n' >other
refused 2 'line 2: "2 ms" has a unit, and the readings before have none' analyze other
printf '1\n5 furlongs\n' >other
refused 2 '"5 furlongs" is not a number' analyze other
echo '[1, 2, 3.5, 1.5]' >array
status 0 analyze array --format csv
value_is mean 2
echo '{"results": [{"command": "sleep 1", "times": [1, 2]}, {"command": "true", "times": [3, 5]}]}' >timed
refused 2 'the readings of 2 results: choose one' analyze timed
status 0 analyze timed --column true --format csv
value_is mean 4
status 0 analyze timed --column 1
holds out 'column sleep 1 (s)'
refused 2 'no result of 2 is 3' analyze timed --column 3
echo '{"results": [{"command": "true"}]}' >timed
refused 2 'has no "times"' analyze timed
echo '{"a": [' >timed
refused 2 'begins like JSON but is not valid' analyze timed
echo '{"a": 1}' >timed
refused 2 'JSON that is not known' analyze timed

# Conditions that choose rows, quotients of two columns, and times written as hh:mm:ss.
printf 'rank,bytes,took\nTotal,100,00:00:20\n0,1,00:00:02\nTotal,300,00:00:30\n' >ranks
status 0 analyze ranks --where 'rank=total' --column 'bytes/took' --format csv
value_near mean 7.5 1e-9
refused 2 'has no row for which all conditions hold' analyze ranks --where rank=all --column bytes
refused 2 'has no column "host"' analyze ranks --where host=a --column bytes
# Criterion.rs keeps its readings in another file, beside the estimates.
mkdir new
echo '{"mean": {"point_estimate": 5}, "std_dev": {"point_estimate": 1}}' >new/estimates.json
refused 2 'in sample.json beside it, which cannot be read' analyze new/estimates.json
echo '{"sampling_mode": "Flat", "iters": [10, 10], "times": [40, 60]}' >new/sample.json
status 0 analyze new/estimates.json --format csv
value_is mean 5
# High percentiles are reported when there are enough readings.
awk 'BEGIN { srand(7); for (i = 0; i < 700000; i++) print rand() }' >many
status 0 analyze many --changepoint none --format csv
grep -q '^p99.999,0.9999' out || fault "no p99.999 of 700000 readings"
status 0 analyze flat --format csv
grep -q '^p99.999,' out && fault 'a p99.999 of a few readings'

# Input that is no column of numbers.
refused 2 'no-such-file' analyze no-such-file
printf '1\n2\nabc\n4\n' >text
refused 2 'abc' analyze text
refused 2 '3' analyze text
printf '1\nnan\n3\n' >nan
refused 2 'nan' analyze nan
printf '1\ninf\n3\n' >infinite
refused 2 'inf' analyze infinite
: >empty
refused 2 'empty' analyze empty
refused 2 'latency' analyze table.csv --column latency
refused 2 '7' analyze table.csv --column 7
refused 2 'table.csv' analyze table.csv
refused 2 '--ci' analyze flat --ci wide
refused 2 'one of pelt, edm, none' analyze flat --changepoint magic

"$CUPEL" analyze flat --format csv >/dev/full 2>err
got=$?
[ $got -eq 4 ] || fault "a full disk under standard output: exit status $got instead of 4"
# A summary has one value per metric: the refusal lists the values of a metric that has several.
echo '{"metrics": {"iterations": {"count": 4}, "http_req_duration": {"avg": 12.5, "med": 11, "p(95)": 20}}}' >summary.json
status 0 analyze summary.json --column 'http_req_duration.p(95)'
holds err "summary.json has one value of http_req_duration.p(95) (ms), which has no interval: "
holds err 'k6 run --out csv=FILE keeps every request'
status 5 compare summary.json summary.json
holds err 'k6 run --out csv=FILE keeps every request'

# The HTML page has one title above the plot, and notes in cells of their own.
awk 'BEGIN { srand(3); for (i = 0; i < 400; i++) print (i < 120 ? 50 : 100) + rand() * 4 }' >stepped
status 0 analyze stepped --format html
! grep -q '<h2>The readings in their order' out || fault 'the title stands twice'
grep -q '<th scope="row">sd</th><td class="n">[0-9.]*</td><td>of single readings</td>' out || fault 'a remark shares the cell of its number'

finish
