#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --find-rate: the highest rate at which a limit is kept, on a scripted queue with a known answer; a limit that no
# rate keeps; the same answer from the record; profiles; combinations that are refused in one line.
# Slow: it searches several times.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"
quick='--preset quick --ci 40% --min-time 0.5s --overhead 0 --monitor-cost 0'

# A server with a service time of 500 us and Poisson arrivals (M/D/1): from 1516 requests/s on, 10 % of the requests take
# longer than 2.5 ms. Other load on this machine can only lower the rate.
# shellcheck disable=SC2086
longer '0 5' run --ioengine null --null-script queue:500us --find-rate 'p90<2.5ms' $quick --limit 40s --format csv -o found
if [ "$got" -eq 0 ]; then
    is_true "$(metric_of highest_rate ci_low) > 0 && $(metric_of highest_rate ci_low) < 1516 * 1.05"
    is_true "$(metric_of highest_rate ci_high) <= 1.5 * $(metric_of highest_rate ci_low)"
fi
[ -f found/rate-001/record.cupel ] || fault "the first probe is not kept"
[ -f found/saturation/record.cupel ] || fault "the session without a rate is not kept"
holds found/rates.csv 'probe,rate,verdict,clause'
holds found/report.txt 'p90<2.5ms'
is_true "$(wc -l <found/rates.csv) >= 2 && $(wc -l <found/rates.csv) <= 21"
cp out first
longer "$got" report found --format csv
cmp -s first out || fault "report gives something else than the run: $(diff first out | head -n 4)"
longer '0 1 5' report found/rate-001
holds out 'p90<2.5ms'

# A search that the time limit ends reports no value.
# shellcheck disable=SC2086
longer 5 run --ioengine null --null-script queue:500us --find-rate 'p90<2.5ms' $quick --limit 2s --format csv
[ -z "$(metric_of highest_rate value)" ] || fault "an open search has the value $(metric_of highest_rate value)"
holds out 'undecided: p90<2.5ms'

# No request completes within the time limit: that proves nothing about the target.
# shellcheck disable=SC2086
longer 5 run --ioengine null --null-script const:2500ms --find-rate 'p90<2.5ms' $quick --limit 2s --format csv
[ -z "$(metric_of highest_rate value)" ] || fault "a search without a probe has the value $(metric_of highest_rate value)"

# Every request takes 500 us: at no rate is it below 50 us. The order of the clauses does not matter.
# shellcheck disable=SC2086
longer 1 run --ioengine null --null-script const:500us --find-rate 'errors=0, p50<50us' $quick --limit 60s
holds out 'HOLDS AT NO RATE'
holds out 'p50<50us'
holds err 'does not hold even at'

# A profile of several streams, in two copies: the search is for the profile's total rate. The limit is short.
cat >two.txt <<'END'
name two
[stream point]
weight 3
size 4k
[stream scan]
size 64k
END
# shellcheck disable=SC2086
longer '0 5' run --ioengine null --null-script queue:500us --profile two.txt --numjobs 2 --find-rate 'p90<10ms' $quick \
    --limit 8s --format json
holds out '"highest_rate": {'
holds out '"probes": ['

# Refusals.
null='--ioengine null --find-rate'
# shellcheck disable=SC2086
{
    refused 2 '--find-rate and --rate_iops exclude each other' run $null 'p99<1ms' --rate_iops 10
    refused 2 '--find-rate and --sla exclude each other' run $null 'p99<1ms' --sla 'errors=0'
    refused 2 '--find-rate and --repeat exclude each other' run $null 'p99<1ms' --repeat 3
    refused 2 'a higher rate does not break it' run $null 'iops>20k'
    refused 2 'a higher rate does not break it' run $null 'p99>1ms'
    refused 2 '--find-rate' run $null 'p99<1'
    refused 2 'this workload only reads' run $null 'write.p99<1ms'
    refused 2 'make --limit longer' run $null 'p99<1ms' --limit 5s
}
printf 'name users\n[stream users]\nkind closed\nconcurrency 4\nsize 4k\n' >closed.txt
# shellcheck disable=SC2086
refused 2 'follow no rate' run $null 'p99<1ms' --profile closed.txt

# A search that a signal ends reports what was decided, and nothing more.
timeout -s INT 4 "$CUPEL" run --ioengine null --null-script queue:500us --find-rate 'p90<2.5ms' --limit 60s >out 2>err </dev/null
got=$?
# On a busy machine nothing may be completed in the one second of the first session.
if [ $got -ne 4 ] || ! grep -q 'nothing was completed in the first session' out; then
    [ $got -eq 5 ] || [ $got -eq 124 ] || fault "an interrupted search ends with $got"
    holds out INTERRUPTED
fi
finish
