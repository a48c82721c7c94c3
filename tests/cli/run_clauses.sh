#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --sla, --precise and --runtime: when a session ends, its exit status, refusals; and the same judgement from its record.
# Slow: a score of sessions, three of them as long as a clause needs to pass. The limits lie far from what any machine
# measures, so that load does not change whether they are kept or broken.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

clause() { # VERDICT CLAUSE: the report contains this
    grep -q "^  $1 *$2 " out || fault "$2 is not '$1': $(grep -F "$2" out | head -n 2)"
}
null="run --ioengine null --null-script normal:95us,5us --preset quick --overhead 0"

# shellcheck disable=SC2086
status 0 $null --sla 'p99<50s, iops>1, errors=0' --limit 150s -o kept
clause pass 'p99<50s'
clause pass 'iops>1'
clause pass 'errors=0'
holds out 'SLA KEPT: 3 of 3 clauses pass'
holds out 'A level that comes less often than once in '
holds out 's cannot be excluded.'
for file in clauses.csv report.txt; do
    [ -s kept/$file ] || fault "there is no kept/$file"
done
[ "$(sed -n 2p kept/clauses.csv | cut -d, -f1,2,3)" = 'p99<50s,pass,ns' ] || fault "clauses.csv: $(cat kept/clauses.csv)"
status 0 report kept/record.cupel
clause pass 'iops>1'

head -c "$(($(wc -c <kept/record.cupel) - 300))" kept/record.cupel >cut.cupel
status 5 report cut.cupel --full
holds out 'SLA NOT DECIDED'
clause undecided 'errors=0'

# shellcheck disable=SC2086
status 1 $null --sla 'p50<20us, errors=0' --limit 60s --format json
holds err 'p50<20us does not hold'
grep -A 1 '"clause": "p50<20us"' out | grep -q '"verdict": "fail"' || fault "JSON has no failed clause"

# A clause that assumes a memory (time for which readings depend on each other) passes after three times that; the report
# states the assumption.
# shellcheck disable=SC2086
status 0 $null --sla 'p99<50s, iops>1' --assume-memory 1s --limit 150s
tr -s ' \n' ' ' <out >flat
holds flat 'No level comes less often than once in 1.00 s, it is assumed (--assume-memory).'
refused 2 '--assume-memory needs --sla' run --ioengine null --assume-memory 1s
refused 2 'a clause passes after 60 s at the earliest, and the run takes 50 s (--limit)' \
    run --ioengine null --sla 'iops>1' --assume-memory 20s --limit 50s

# A clause that no length decides, and one that the limit leaves no time for, give exit status 5.
# shellcheck disable=SC2086
status 5 $null --sla 'p99.999<1s' --limit 2s
clause undecided 'p99.999<1s'
holds out 'SLA NOT DECIDED'
holds err 'p99.999<1s is not decided'

# A record judged by other clauses than those of its session. Clauses on what was not measured are refused.
status 0 report kept --sla 'p99<60s'
clause pass 'p99<60s'
grep -q '^  pass *iops>1' out && fault "the session's own clauses are judged beside those of report"
status 1 report kept/record.cupel --sla 'p50<20us, errors=0' --format json
holds err 'p50<20us does not hold'
status 5 report kept --sla 'p99.999<1s'
status 0 report kept --sla 'p99<60s' -o judged
[ "$(sed -n 2p judged/clauses.csv | cut -d, -f1,2)" = 'p99<60s,pass' ] || fault "clauses.csv: $(cat judged/clauses.csv)"
refused 2 'this workload only reads' report kept --sla 'write.p99<5us'
refused 2 "leave 'service.' out" report kept --sla 'service.p99<5us'
refused 2 "at character 5, '5': a time needs a unit" report kept --sla 'p99<5'
for i in 0 1 2 3 4 5 6 7 8 9; do echo "12816637200306${i}000,host,0,Read,$((4096 * i)),4096,100"; done >reads.csv
status 0 replay reads.csv --ioengine null --format csv -o replayed
status 0 report replayed --sla 'read.p50<1s'
refused 2 '--sla write.p50<1s: the record holds no writes, ask about read.' report replayed --sla 'write.p50<1s'

# Clauses per interval of wall-clock time, from a session and from its record; and intervals too long for the session.
# shellcheck disable=SC2086
status 0 $null --sla 'p50<500ms per 100ms in 50%, iops > 1 per 200ms in 40%' --limit 60s -o by_interval
clause pass 'p50<500ms per 100ms in 50%'
clause pass 'iops>1 per 200ms in 40%'
holds out 'intervals'
[ "$(sed -n 2p by_interval/clauses.csv | cut -d, -f1,2,5,8)" = 'p50<500ms per 100ms in 50%,pass,0.5,0.1' ] ||
    fault "clauses.csv: $(cat by_interval/clauses.csv)"
status 0 report by_interval
clause pass 'iops>1 per 200ms in 40%'
status 1 report by_interval --sla 'p50<1us per 100ms in 90%'
clause fail 'p50<1us per 100ms in 90%'
status 5 report by_interval --sla 'p50<500ms per 100ms in 99.9%'
holds err 'is not decided'
refused 2 'the record holds no whole interval of that length' report by_interval --sla 'p50<1s per 1m in 50%'
refused 2 "at character 13, '1 in 50%': the length of an interval" report by_interval --sla 'p50<1us per 1 in 50%'
refused 2 'an interval of 10 s is longer than the run of 5 s (--runtime)' \
    run --ioengine null --runtime 5s --sla 'p50<1s per 10s in 50%'
refused 2 'longer than the run of 60 s (--limit)' run --ioengine null --limit 1m --sla 'p50<1s per 2m in 50%'
refused 2 "leave 'per' out" run --ioengine null --find-rate 'p99<1s per 1s in 50%'
echo 5 >column
refused 2 'a column of numbers has no clock' analyze column --sla 'p99<5 per 1s in 50%'
refused 2 'the limit of the data path to' run --ioengine null --sla 'efficiency>50%'
refused 2 'say which, as in read.efficiency' run --ioengine null --rw randrw --sla 'efficiency>50%'
refused 2 '--monitor-cost 0 turns off' run --ioengine null --monitor-cost 0 --sla 'efficiency>50%'

# One broken clause breaks the whole, whatever the other clauses give.
# shellcheck disable=SC2086
status 1 $null --sla 'iops>1, mean<1us' --limit 60s
holds out 'SLA BROKEN: 1 of 2 clauses pass, 1 fails'

# --runtime measures exactly that long, whether the result is precise or not.
# shellcheck disable=SC2086
status 0 $null --runtime 1.5s --format csv -o timed
length=$(sed 1d timed/unit_readings.csv | grep -c ,)
[ "$length" -gt 0 ] || fault "no readings"
holds timed/report.txt 'Measured as long as --runtime asked for'
is_true "$(metric_of elapsed value) > 1.5 && $(metric_of elapsed value) < 20"

# On a busy machine, whose rate varies, these precisions may stay undecided.
# shellcheck disable=SC2086
longer '0 5' $null --precise 'iops:60%, p50:60%, bps:60%' --limit 60s
# shellcheck disable=SC2154 # got comes from longer
if [ "$got" -eq 0 ]; then clause reached 'p50:60%'; else grep -q '^ *undecided ' out || fault "exit status 5, and nothing is undecided"; fi
# shellcheck disable=SC2086
status 5 $null --precise 'mean:0.0001%' --limit 2s
clause undecided 'mean:0.0001%'
holds err 'mean:0.0001% is not reached'

# A single pass is judged by its exact numbers, not by estimates.
status 0 run --ioengine null --null-script const:50us --phases 500:1s --overhead 0 --sla 'p50<1s, iops>10' --limit 60s
clause pass 'p50<1s'

# The intervals of a single pass are counted exactly, too.
status 1 run --ioengine null --null-script const:50us --phases 500:2s --overhead 0 --limit 60s \
    --sla 'p50<5s per 200ms in 90%, service.p50<5s per 500ms in 50%, p50<10us per 500ms in 50%'
clause pass 'p50<5s per 200ms in 90%'
clause pass 'service.p50<5s per 500ms in 50%'
clause fail 'p50<10us per 500ms in 50%'

# When the limit ends the pass early, the measured part decides nothing about the whole.
status 5 run --ioengine null --null-script const:50us --phases 500:30s --overhead 0 --sla 'p50<1s, errors=0' --limit 1s
clause undecided 'p50<1s'

# A limit on the longest request, with or without a steady level: the first request over the limit ends the session at once,
# even with --runtime, and the report, the certificate and the report from the record show it.
late='1s@const:50us;150ms@const:600ms;const:50us'
# shellcheck disable=SC2086
status 0 run --ioengine null --null-script const:50us --preset quick --overhead 0 --runtime 1s --sla 'max<100s'
tr -s ' \n' ' ' <out >flat
holds flat 'it promises nothing of the next session'
status 1 run --ioengine null --null-script "$late" --preset quick --overhead 0 --runtime 60s --stop-on-violation --sla 'read.max<450ms' -o over
is_true "$(sed -n 's/^elapsed,all,s,\([0-9.]*\),.*/\1/p' over/summary.csv) < 40"
holds over/report.txt 'first over it: at '
grep -Eq '^read.max<450ms,fail,ns,.*"at [0-9.]+ s, read of 4096 bytes at byte [0-9]+, job 1: [0-9]+' over/clauses.csv ||
    fault "no evidence: $(cat over/clauses.csv)"
status 1 report over --format json
holds out '"first_over": "at '
status 1 report over --certificate
holds out 'first over it'
status 0 report over --sla 'max<100s'
status 1 run --ioengine null --null-script "$late" --phases 500:60s --overhead 0 --stop-on-violation --sla 'max<450ms'
holds out 'SLA BROKEN'
refused 2 '--stop-on-violation needs --sla' run --ioengine null --stop-on-violation
refused 2 'promises nothing of the next one; ask about a percentile' run --ioengine null --find-rate 'max<1ms'

# I/O errors.
status 1 run --ioengine null --null-script 'const:200us+fail:0.001' --preset quick --overhead 0 --sla 'errors=0' --limit 20s
clause fail 'errors=0'

refused 2 "at character 5, '500': a time needs a unit" run --ioengine null --sla 'p99<500'
refused 2 'as in p99<500us' run --ioengine null --sla 'p99<-5us'
refused 2 'this workload only reads' run --ioengine null --sla 'write.p99<5us'
refused 2 'contradict' run --ioengine null --sla 'iops>5, iops<4'
refused 2 "leave 'service.' out" run --ioengine null --sla 'service.p99<5us'
refused 2 'a colon' run --ioengine null --precise 'iops>5'
refused 2 '--runtime and --precise exclude each other' run --ioengine null --precise 'iops:5%' --runtime 3s
refused 2 'repeat' run --ioengine null --sla 'iops>5' --repeat 3
refused 2 "or say --precise 'iops:1%'" run --ioengine null --sla 'iops>5' --ci 1%

# --ci with a unit gives an absolute width, for the value that has this unit.
longer '0 5' run --ioengine null --null-script uniform:100us,300us --ci 40us --limit 30s --overhead 0
holds out 'mean:40us'
refused 2 'nothing here has this unit' analyze column --ci 2MB/s
refused 2 'needed, as in 5%, 2MB/s, 50us or 500IOPS' run --ioengine null --ci 5apples
refused 2 '--repeat and --find-rate compare' run --ioengine null --ci 50us --repeat 3
refused 2 'leave --sla' run --ioengine null --ci 50us --runtime 3s
refused 2 'add it there: mean:50us' run --ioengine null --ci 50us --precise iops:5%
refused 2 'exact' run --ioengine null --runtime 5s --min-time 2s
refused 2 'runtime' run --ioengine null --runtime 30s --limit 20s
finish
