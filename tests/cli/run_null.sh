#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run without a device: on the scripted null engine with a known rate; a kept session gives the same report again.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# 200 us per I/O, one at a time: just under 5000 IOPS, each I/O a little over 200 us. Even on a busy machine, little time
# passes without I/O in flight. On a busy machine the session may be undecided at the limit; standard error then has one line
# on that, beside the progress.
longer '0 5' run --ioengine null --null-script const:200us --preset quick --ci 90% --min-samples 5 --min-time 0.5s --limit 10s \
    --overhead 0 --format csv -o kept
# shellcheck disable=SC2154 # got comes from longer
decided=$got
[ "$(head -n 1 out)" = metric,op,unit,value,ci_low,ci_high,confidence,n,effective_n,note,next_low,next_high,target,rw,bs,iodepth,numjobs,label,date ] ||
    fault "the header is $(head -n 1 out)"
for metric in iops bandwidth response_time bps lat_p50 lat_p90 lat_p99 lat_p99.9 lat_p99.99 errors elapsed; do
    grep -q "^$metric," out || fault "there is no $metric"
done
is_true "$(metric_of iops value) > 0 && $(metric_of iops value) < 5001"
is_true "$(metric_of response_time value) >= 2e5"
share="$(metric_of iops value) * $(metric_of response_time value) / 1e9"
is_true "$share > 0.8 && $share < 1.05"
is_true "$(metric_of iops ci_low) <= $(metric_of iops value) && $(metric_of iops ci_high) >= $(metric_of iops value)"
[ "$(metric_of errors value)" = 0 ] || fault "errors: $(metric_of errors value)"
grep -vE '^([^:]*, )?[0-9.]+ (s|min)( |$)' err >words
case $decided in
0) [ ! -s words ] || fault "a session without any trouble wrote more than its progress to standard error: $(cat words)" ;;
*) { [ "$(wc -l <words)" -eq 1 ] && grep -qE 'the session limit came first|its level wanders|as precise as the processor allows|for this stretch of time only|it still (rises|falls|moves)|its slowest cycle|it moves too slowly' words; } || fault "the reason of exit status 5: $(cat err)" ;;
esac

# The record gives the same result in every format.
for file in record.cupel report.txt summary.csv rounds.csv readings.csv unit_readings.csv histogram.csv hardware.csv; do
    [ -s kept/$file ] || fault "there is no kept/$file"
done
cp out first
status "$decided" report kept/record.cupel --format csv
cmp -s first out || fault "report gives other numbers than the run: $(diff first out | head -n 4)"
status "$decided" report kept/record.cupel
case $decided in
0) grep -q '^PRECISE' out || fault "exit status 0 and $(head -n 1 out)" ;;
*) grep -qE '^(NOT DECIDED|FOR THESE |LEVEL WANDERS|AS PRECISE AS|STILL |TOO FEW CYCLES|NO LEVEL YET)' out || fault "exit status 5 and $(head -n 1 out)" ;;
esac
status "$decided" report kept/record.cupel --format json -o again
for file in report.txt summary.csv rounds.csv unit_readings.csv histogram.csv hardware.csv; do
    cmp -s kept/$file again/$file || fault "report -o gives another $file"
done

# Percentiles over time: in whole half seconds of the clock, and the same again from the record. The number of I/Os in each
# depends on the load of the machine.
status 0 run --ioengine null --null-script const:1ms --runtime 3s --interval 500ms --overhead 0 --monitor-cost 0 -o periods
awk -F, 'NR == 1 { exit $0 !~ /^op,begin,begin_s,length_s,measured_s,n,weight,p50,p50_low,p50_high,/ }' periods/percentiles.csv ||
    fault "the header is $(head -n 1 periods/percentiles.csv)"
awk -F, 'NR > 1 && ($1 != "read" || $2 !~ /[.][05]00Z$/ || $4 != 0.5 || $5 > 0.5 || $6 < 1 || $8 < 1e6 || $(NF - 1) < $8 || $NF != "all") { exit 1 }
    END { exit NR < 7 }' periods/percentiles.csv || fault "percentiles over time: $(cat periods/percentiles.csv)"
holds periods/report.txt 'Percentiles over time, read, in intervals of 500 ms'
status 0 report periods --format json -o periods_again
cmp -s periods/percentiles.csv periods_again/percentiles.csv || fault "report -o gives other percentiles over time"
holds out '"percentiles"'

# With several jobs there is a row per job and one for all, whose I/O count is the sum.
status 0 run --ioengine null --null-script const:1ms --rw randrw --numjobs 2 --runtime 2s --interval 200ms --overhead 0 -o jobs
awk -F, 'NR > 1 { $NF == "all" ? all += $6 : each[$NF] += $6 } END { exit !(all > 0 && all == each[1] + each[2]) }' \
    jobs/percentiles.csv || fault "percentiles of jobs: $(cut -d, -f1,2,6,21 jobs/percentiles.csv)"
status 0 report jobs -o jobs_again
cmp -s jobs/percentiles.csv jobs_again/percentiles.csv || fault "report -o gives other percentiles of jobs"
status 0 run --full --ioengine null --null-script const:1ms --numjobs 10 --runtime 1s --interval 200ms --overhead 0 -o many
tr -s ' \n' ' ' <out | grep -q 'of all 10 jobs together, and of the first 8 of them each' || fault "no word of ten jobs"
awk -F, '$NF == 9 { exit 1 }' many/percentiles.csv || fault "there is a ninth job"

# A run of a day has slices of 0.2 s, and its record grows by at most 200 MB a day.
"$CUPEL" run --ioengine null --null-script 'uniform:50us,150us' --runtime 24h --interval 1s --overhead 0 -o day >out 2>err \
    </dev/null &
process=$!
for _ in $(seq 100); do
    [ "$(grep -ao BTCH day/record.cupel 2>/dev/null | wc -l)" -lt 4 ] || break
    sleep 0.2
done
kill -INT $process
wait $process
awk -F, 'NR == 3 { exit $1 != 0.2 }' day/unit_readings.csv || fault "slices of a day: $(sed -n 3p day/unit_readings.csv)"
is_true "$(wc -c <day/record.cupel) < 20000 + 2300 * $(grep -ao BTCH day/record.cupel | wc -l)"
[ "$(awk -F, 'NR > 1 && $4 != 1' day/percentiles.csv | wc -l)" -eq 0 ] || fault "intervals of a day: $(cat day/percentiles.csv)"

# An existing folder is never written to.
refused 2 kept run --ioengine null -o kept
refused 2 kept report again/../kept/record.cupel -o kept
refused 2 no-such-folder run --ioengine null -o no-such-folder/kept

# A session that is refused leaves no folder.
refused 2 'position' run --ioengine null --null-script nonsense:1 -o nothing
[ ! -e nothing ] || fault "a refused session left its folder"

# The limit comes before the precision: exit status 5, the full result, and the reason on standard error.
status 5 run --ioengine null --null-script 'uniform:1us,4ms' --ci 0.01% --limit 6s --overhead 0 --format csv
is_true "$(metric_of iops value) > 0"
holds err 'the session limit came first'

# Failed I/O is counted.
limited run --ioengine null --null-script 'const:500us+fail:0.2' --preset quick --min-time 0.3s --limit 4s --overhead 0 \
    --format csv >out 2>err
is_true "$(metric_of errors value) > 0"
finish
