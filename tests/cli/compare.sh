#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel compare: columns of numbers, baselines, records and folders, in any combination; the verdict of --expect; inputs that
# cannot be read or compared are refused with name and line.
# Slow: sessions and rounds of programs.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

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
column 101 60 100 5 >a
column 202 50 110 5 >b
column 303 60 100 5 >same
column 404 400 100 1 >near
column 505 400 100 1 >nearer
field_of() {
    awk -F, -v line="$1" -v column="$2" 'NR == line { print $column }' out
}

status 0 compare a b --format csv
[ "$(head -n 1 out)" = pair,metric,ratio,ci_low,ci_high,p_value,verdict,repetition,repetition_low,repetition_high ] || fault "the header is $(head -n 1 out)"
{ [ "$(field_of 2 1)" = 'a vs b' ] && [ "$(field_of 2 7)" = slower ]; } || fault "a and b: $(tail -n 1 out)"
is_true "$(field_of 2 4) < $(field_of 2 3) && $(field_of 2 3) < $(field_of 2 5) && $(field_of 2 5) < 1"
is_true "$(field_of 2 6) < 1e-4"
wide=$(field_of 2 5)
status 0 compare a b --format csv --once
is_true "$(field_of 2 5) < $wide"
# The columns move together but --paired is not given: then --once, a single look at the data, has the narrowest interval.
awk '{ printf "%.9g\n", 1.01 * $1 + NR % 3 / 100 }' a >follows
status 5 compare a follows --format csv --same 0.1%
wide=$(field_of 2 5)
status 5 compare a follows --format csv --same 0.1% --once
is_true "$(field_of 2 5) <= $wide"
status 0 compare a follows --paired --same 0.1%
status 0 compare a b --format csv --lower-is-better
[ "$(field_of 2 7)" = faster ] || fault "lower is better: $(tail -n 1 out)"
status 5 compare a same --format csv
[ "$(field_of 2 7)" = undecided ] || fault "not significant is undecided: $(tail -n 1 out)"
status 0 compare near nearer --format csv
[ "$(field_of 2 7)" = same ] || fault "within the margin: $(tail -n 1 out)"
status 5 compare near nearer --paired --same 0.01% --format csv
[ "$(field_of 2 7)" = undecided ] || fault "a narrow margin: $(tail -n 1 out)"
# The levels last 40 readings each and differ by as much as the means do. If the readings were independent, a and b would be
# decided.
wandering() {
    awk -v levels="$1" 'BEGIN {
        n = split(levels, level)
        for (i = 0; i < 40 * n; i++)
            printf "%.9g\n", level[int(i / 40) + 1] + (i * 7919 % 101) / 101
    }'
}
wandering '104 98 105 97 103 100' >high
wandering '94 100 93 101 96 98' >low
status 5 compare high low --changepoint none
holds out 'the levels of high and low wander'
holds err 'the levels of high and low wander by as much as they differ'
status 0 compare high low --changepoint none --independent --format csv
[ "$(field_of 2 7)" = faster ] || fault "of independent readings it is a difference: $(tail -n 1 out)"
"$CUPEL" compare - b --format csv <a >out
{ [ "$(field_of 2 1)" = '- vs b' ] && [ "$(field_of 2 7)" = slower ]; } || fault "standard input: $(tail -n 1 out)"

# Two summaries given on the command line: the p-value of Welch's test and Fieller's interval, as R computes them. Three
# alternatives are ranked, and neighbours in the ranking are compared.
status 5 compare mean=10.75,sd=1.7890096577591621,n=10 mean=12.33,variance=4.009,n=10 --once --format csv
grep -q ',value,0.87185725[0-9]*,0.74625659[0-9]*,1.01799448[0-9]*,0.0793941[0-9]*,undecided,unknown,,$' out || fault "R says otherwise: $(cat out)"
# R's paired t-test, for readings that --independent declares independent. Rounds cannot be declared independent.
printf '%s\n' 10.7 8.4 9.8 8.8 9.9 13.4 13.7 10.8 10 12 >drug1
printf '%s\n' 11.9 10.8 11.1 10.1 9.9 14.4 15.5 11.6 14.6 13.4 >drug2
status 0 compare drug1 drug2 --once --paired --independent --changepoint none --format csv
[ "$(field_of 2 6 | cut -c1-12)" = 0.0028328901 ] || fault "R's paired test: $(tail -n 1 out)"
status 2 compare 'exec -- true' 'exec -- true' --independent
grep -q -- --independent err || fault "independent rounds: $(cat err)"
status 5 compare a b same --format csv
{ [ "$(wc -l <out)" -eq 3 ] && [ "$(field_of 2 7)" = faster ]; } || fault "three: $(cat out)"
case $(field_of 2 1) in
'b vs '*) ;;
*) fault "b leads the ranking: $(cat out)" ;;
esac
status 0 compare a b --format json
holds out '"p_value_any_look"'
status 0 compare a b -o kept
holds out 'SLOWER: value: a is '
for file in txt csv json; do
    [ -s kept/comparison.$file ] || fault "there is no kept/comparison.$file"
done
refused 2 'kept' compare a b -o kept

status 0 compare a b --expect 'B faster than A by 2%'
holds out 'HOLDS: '
status 1 compare a b --expect 'a not slower than b by 2%'
status 1 compare a b --expect 'A faster than B'
status 5 compare a same --expect 'A same as B within 0.1%'
status 0 compare a b same --expect 'same not faster than b'
refused 2 '"C" is not one of the alternatives A to B' compare a b --expect 'C faster than A'
refused 2 'faster, slower, same or repeats is expected' compare a b --expect 'A better than B'
refused 2 '"than" is missing' compare a b --expect 'A faster as B'
refused 2 'one alternative twice' compare a b --expect 'A faster than A'
refused 2 'a share below 100%' compare a b --expect 'A faster than B by much'

# A percentage refers to the measured quantity: a time that is 10.5 % longer is slower by more than 10 %, though the speed
# falls by only 9.5 %.
base=mean=100,sd=0.1,n=90
status 1 compare mean=110.5,sd=0.1,n=90 $base --once --lower-is-better --expect 'A not slower than B by 10%'
tr -s '\n ' ' ' <out >line
holds line ': 10.5 % more (ratio 1.105'
holds line '1.105 times the value'
status 0 compare mean=109.5,sd=0.1,n=90 $base --once --lower-is-better --expect 'A not slower than B by 10%'
status 1 compare mean=91,sd=0.1,n=90 $base --once --lower-is-better --expect 'A faster than B by 9.5%'
tr -s '\n ' ' ' <out >line
holds line ': 9 % less (ratio 0.91'
status 1 compare mean=89,sd=0.1,n=90 $base --once --expect 'A not slower than B by 10%'
tr -s '\n ' ' ' <out >line
holds line '11 % less (ratio 0.89'

# Records: every metric that both have is compared; beside a column or a baseline only the metric named. One session is fifty
# times as fast as the other, so that the comparison is decided even on a busy machine.
null='--ioengine null --overhead 0 --monitor-cost 0 --preset quick --ci 40% --min-samples 5 --min-time 0.5s --limit 40s'
# shellcheck disable=SC2086 # several options
longer '0 5' run $null --iodepth 16 --null-script const:2ms -o fast
# shellcheck disable=SC2086
longer '0 5' run $null --iodepth 16 --null-script const:100ms -o slow
status 0 compare fast slow/record.cupel --format csv
[ "$(awk -F, '$2 == "iops" { print $7 }' out)" = faster ] || fault "records: $(cat out)"
[ "$(awk -F, '$2 == "response_time" { print $7 }' out)" = faster ] || fault "records: $(cat out)"
status 0 compare fast slow --metric bandwidth --expect 'A faster than B by 20%'
holds out 'one session'
status 0 compare fast mean=10,sd=1,n=20 --metric iops --format csv
grep -q '",iops,.*,faster,[a-z]*,[^,]*,[^,]*$' out || fault "a record and a baseline: $(cat out)"
refused 2 'numbers without a name' compare fast a
refused 2 'has no "iopps" with an interval' compare fast slow --metric iopps

# A folder of cupel qualify contains a folder per measurement.
mkdir may june
cp -r fast may/nvme0n1-read
cp -r slow may/sda-read
cp -r fast june/nvme0n1-read
cp -r fast june/sda-read
longer '0 5' compare may june --metric iops --format csv
grep -q '^may vs june: sda-read,iops,.*,slower,[a-z]*,[^,]*,[^,]*$' out || fault "disk by disk: $(cat out)"
[ "$(wc -l <out)" -eq 3 ] || fault "disk by disk: $(cat out)"
status 1 compare may june --metric iops --expect 'A not slower than B by 10%'

# Rounds of programs. Rates over equal work have harmonic means: 10 and 7.19 here; arithmetic means would be 10 and 12.
# %ROUND% is replaced by cupel.
# shellcheck disable=SC2016
status 0 exec --rounds 40 --pi r,u,0,ratio -o even -- sh -c 'echo $((9 + %ROUND% % 2 * 2))'
# shellcheck disable=SC2016
"$CUPEL" exec --rounds 40 --pi r,u,0,ratio -o uneven -- sh -c 'case $((%ROUND% % 2)) in 0) echo 19.6 ;; *) echo 4.4 ;; esac' \
    >/dev/null 2>&1
status 0 compare even uneven --metric r --format csv
[ "$(field_of 2 7)" = faster ] || fault "harmonic means: $(cat out)"
is_true "$(field_of 2 3) > 1.37 && $(field_of 2 3) < 1.39"
# Readings of reads beside those of writes, and a folder per combination of parameters.
cat >fio.json <<'EOF'
{"fio version": "fio-3.36", "jobs": [{"jobname": "x", "error": 0,
"read": {"iops": 1000, "bw_bytes": 4096000, "clat_ns": {"mean": 1000, "percentile": {"50.000000": 900, "99.000000": 2000,
"99.900000": 3000}}, "lat_ns": {"mean": 1000}},
"write": {"iops": 500, "bw_bytes": 2048000, "clat_ns": {"mean": 2000, "percentile": {"50.000000": 1900,
"99.000000": 4000, "99.900000": 6000}}, "lat_ns": {"mean": 1000}}}]}
EOF
status 0 exec --rounds 5 --parse fio --parse fio-write -o fio -- cat fio.json
longer '0 5' compare fio fio
holds out 'read.iops (higher is better)'
holds out 'write.iops (higher is better)'
is_true "$(awk '/^write.iops/ { getline; getline; print $4 }' out) == 500"
"$CUPEL" exec --rounds 5 --pi v,u,0 --parameter n=1,2 -o values -- echo %n% >/dev/null 2>&1
"$CUPEL" exec --rounds 5 --pi v,u,0 --parameter n=2,1 -o swapped -- echo %n% >/dev/null 2>&1
longer '0 5' compare values swapped --metric v --format csv
grep -q '^"*values vs swapped: n=1"*,v,1,.*,same,[a-z]*,[^,]*,[^,]*$' out || fault "value by value: $(cat out)"
grep -q '^"*values vs swapped: n=2"*,v,1,.*,same,[a-z]*,[^,]*,[^,]*$' out || fault "value by value: $(cat out)"
# When rounds do different amounts of work, the fitted speeds are compared by their intervals; durations are not compared.
longer '0 5' exec --wps -w 1,1000 --duration-col 0 --rounds 20 -o work -- \
    awk 'BEGIN { print .01 + %WORK_AMOUNT% * (1 + %ROUND% % 3 / 100) / 1000 }'
longer '0 5' compare work work --format csv
grep -q ',wps_speed,1,' out || fault "speed: $(cat out)"
grep -q ',duration,' out && fault "durations of different work: $(cat out)"

# --correlate: it needs at least four runs, and warns of runs whose length was given (they have no execution time of their
# own).
status 0 compare --correlate fast slow fast slow/record.cupel --format csv
[ "$(head -n 1 out)" = metric,correlation,ci_low,ci_high,n,expected_sign,verdict ] || fault "the header is $(head -n 1 out)"
grep -q '^iops,.*,4,-,' out || fault "four runs: $(cat out)"
grep -q '^response_time,.*,4,+,' out || fault "four runs: $(cat out)"
status 0 compare --correlate fast slow fast slow
tr -s ' \n' ' ' <out >flat
holds flat 'have no execution time of their own'
refused 2 'needs 4 runs at least, and these are 2' compare --correlate fast slow
refused 2 '--correlate and --metric exclude each other' compare --correlate fast slow fast slow --metric iops

# A record that is cut short is used as far as it reaches, with a warning. A damaged record is refused.
mkdir cut damaged torn spoilt
head -c $(($(wc -c <fast/record.cupel) * 9 / 10)) fast/record.cupel >cut/record.cupel
longer '0 5' compare cut slow
tr -s ' \n' ' ' <out >flat
holds flat 'Warning: cut: its record is cut short'
status 0 compare --correlate fast slow fast slow cut
tr -s ' \n' ' ' <out >flat
holds flat 'cut: its record is cut short, because it was killed or parts are missing; it is left out'
refused 2 'these are 3; cut: its record' compare --correlate fast slow fast cut
cp fast/record.cupel damaged/record.cupel
printf 'more' >>damaged/record.cupel
refused 2 'damaged: the record is damaged' compare damaged slow
refused 2 'damaged: the record is damaged' compare --correlate fast slow fast slow damaged
sed '$d' even/program.cupel >torn/program.cupel
longer '0 5' compare torn even
tr -s ' \n' ' ' <out >flat
holds flat 'Warning: torn: its record is cut short'
sed '/^round\t30\t/s/\t30\t/\t31\t/' even/program.cupel >spoilt/program.cupel
refused 2 'spoilt: the record is damaged' compare even spoilt
refused 2 'the results of 2 measurements, each in a folder of its own: cupel report values/n=1' report values

# All alternatives in one file of another program. Lower times are better, and have their unit.
cat >timed.json <<'EOF'
{"results": [{"command": "gzip x", "times": [12.1, 12.3, 12.2, 12.25, 12.15, 12.2, 12.18, 12.22, 12.19, 12.21]},
 {"command": "lz4 x", "times": [1.01, 0.99, 1.0, 1.02, 0.98, 1.0, 1.01, 0.99, 1.0, 1.0]}]}
EOF
status 0 compare timed.json --once
holds out 'gzip x is slower than lz4 x: it takes 12.2 times as long'
holds out '12.200 s'
holds out 'lower is better'
refused 2 'a second alternative is missing' compare timed.json --where 'command=gzip*'
refused 2 'a second alternative is missing' compare a
# Compatible units are converted to that of the first alternative.
awk '{ print $1 " ms" }' a >in_ms
awk '{ print $1 / 1000 " s" }' same >in_s
status 5 compare in_ms in_s --format csv
ratio=$(awk -F, 'NR == 2 { print ($3 > 0.9 && $3 < 1.1) }' out)
[ "$ratio" = 1 ] || fault "ms against s: $(sed -n 2p out)"
printf '5 MB/s\n6 MB/s\n' >rates
refused 2 'rates is in MB/s, and those before it are in ms' compare in_ms rates

# Files that are not an input, and pairs that cannot be compared.
printf '1\n2\nx\n' >bad
printf '1 2\n3 4\n' >table
printf -- '-3\n-4\n-5\n' >negative
mkdir empty
refused 2 'bad, line 3: "x" is not a number' compare a bad
refused 2 'choose one with --column' compare a table
status 5 compare table table --column 2 --format csv
refused 2 'cannot read nowhere' compare a nowhere
refused 2 'neither a record nor folders that do' compare a empty
refused 2 'negative: the mean is -4' compare a negative
status 0 compare mean=1e60,sd=1e56,n=9 mean=2,sd=0.1,n=9 --once
holds out ' times as fast (ratio'
[ "$(awk 'length($0) > 90' out | wc -l)" -eq 0 ] || fault "long lines: $(cat out)"
status 0 compare mean=1e-60,sd=1e-65,n=9 mean=2,sd=0.1,n=9
[ "$(awk 'length($0) > 90' out | wc -l)" -eq 0 ] || fault "long lines: $(cat out)"
refused 2 'a baseline needs mean' compare a mean=3,n=4
refused 2 '"1e80" is too large' compare a mean=1e80,sd=1,n=4
awk 'BEGIN { for (i = 0; i < 300; i++) print i == 150 ? "1e80" : 1 + i % 7 / 10 }' >overflows
refused 2 'overflows, line 151: "1e80" is too large' compare overflows a
refused 2 'n of 2 to 1e+15' compare a mean=3,sd=1,n=1e30
refused 2 "an alternative's name is empty" compare a ''
refused 2 "an alternative's name is empty" compare ' ' a
refused 2 'not "media"' compare a mean=3,media=3,n=4
refused 2 'is not a number' compare a mean=3,sd=x,n=4
refused 2 'pairs need as many' compare a b --paired
refused 2 'no readings of its own' compare mean=3,sd=1,n=4 a --paired
refused 2 'standard input can be one alternative only' compare - -
refused 2 'is missing' compare a
finish
