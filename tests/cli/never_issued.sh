#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Requests that were due but never issued count as slower than all measured ones, in every command: a session, phases, a
# replay, a sweep, a comparison, a merge, a certificate. The target completes 1000 requests/s, and more are due.
# Slow: some twenty sessions, and rounds in blocks.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

slow='--ioengine null --null-script const:1ms --iodepth 1'

# number METRIC COLUMN: prints a cell of the CSV in out; column 4 is the value, 8 is n.
number() {
    awk -F, -v m="$1" -v c="$2" '$1 == m { print $c; exit }' out
}

# not_passed COMMAND...: the command leaves its clause undecided or broken; no clause passes.
not_passed() {
    limited "$@" >out 2>err
    got=$?
    case $got in
    1 | 5) ;;
    *) fault "$*: exit status $got instead of 1 or 5" ;;
    esac
    ! grep -q '^ *pass\|SLA KEPT' out || fault "$*: a clause passes: $(grep pass out)"
}

# For every limit and every percentile that these requests may affect.
# shellcheck disable=SC2086 # the options are words
for clause in 'p99<1000s' 'p99.9<1000s' 'mean<1000s' 'p99<1ms'; do
    not_passed run $slow --rate_iops 3000 --runtime 0.5s --sla "$clause"
    not_passed run $slow --phases 200:0.2s,4000:0.4s --sla "$clause"
done

# shellcheck disable=SC2086
not_passed run $slow --phases 200:0.2s,4000:0.4s --sla 'p99<1000s' --certificate -o phases
tr -s ' \n' ' ' <out >flat
grep -q 'requests that were due were never issued' flat || fault "the certificate does not say it: $(cat out)"
! grep -q '[0-9]% *pass\|  pass ' phases/certificate.txt || fault "the certificate has a clause that passes"
# shellcheck disable=SC2086
not_passed run $slow --rate_iops 3000 --runtime 0.5s --sla 'p99<1000s' -o rate

# The table states their number, and has no percentile that lies among them.
status 5 report phases --format csv
is_true "$(number never_issued 4) > 800 && $(number never_issued 4) < $(number never_issued 8)"
[ -z "$(number lat_p99 4)" ] || fault "p99 is $(number lat_p99 4), and most requests were never issued"
grep -q '^lat_p99,read,.*later than all that was measured: .* were never issued' out || fault "p99 says nothing"
is_true "$(number service_p99 4) > 900000"

# Without a clause, a session that cannot keep its rate is undecided.
# shellcheck disable=SC2086
limited run $slow --rate_iops 3000 --runtime 0.5s >out 2>err
[ $? -eq 5 ] || fault "a rate that is not kept up with: $(cat err)"

# A merge, and a merge of merges.
for source in phases rate; do
    not_passed merge $source --sla 'p99<1000s' -o "merged-$source"
    not_passed merge "merged-$source/merged.cupel" --sla 'p99<1000s'
    not_passed merge $source --sla 'p99<1000s' --certificate
    limited merge $source --format csv >out 2>err
    [ -z "$(number lat_p99 4)" ] || fault "merge $source: p99 is $(number lat_p99 4)"
    is_true "$(number never_issued 4) > 500"
done

# A replay issues its whole trace, however late. Its response times count from the due times.
awk 'BEGIN { for (i = 0; i < 900; i++) printf "1281663720%08d,host,0,Read,%d,4096,0\n", i * 3333, i * 4096 }' >fast.csv
# shellcheck disable=SC2086
not_passed replay fast.csv $slow --sla 'p99<100ms'
# shellcheck disable=SC2086
not_passed replay fast.csv $slow --limit 0.3s --sla 'p99<1000s'

# A run of a sweep has no response time in this case, but it has a rate.
cat >plan.txt <<'END2'
ioengine: null
null-script: const:1ms
iodepth: 1
rate_iops: 3000
runtime: 0.4s
factor bs: 4k 8k
response: RESPONSE
repeats: 1
END2
for response in p99 p50 response_time; do
    sed "s/RESPONSE/$response/" plan.txt >of.txt
    rm -rf swept
    limited sweep of.txt -o swept >out 2>err
    [ $? -eq 5 ] || fault "a sweep of $response: $(cat err)"
    tr -s ' \n' ' ' <err >flat
    grep -q 'does not keep up with what falls due' flat || fault "the sweep of $response says $(cat err)"
done
sed 's/RESPONSE/p99/; s/4k 8k/4k 8k 16k 32k/' plan.txt >of.txt # three such runs in a row
rm -rf swept
limited sweep of.txt >out 2>err
[ $? -eq 5 ] || fault "a sweep that ended: $(cat err)"
holds err '3 runs in a row failed'
sed "s/RESPONSE/iops/" plan.txt >of.txt
rm -rf swept
longer 0 sweep of.txt -o swept

# A comparison of rounds or of records does not decide, either.
longer 5 compare "run $slow --rate_iops 3000" "run $slow --rate_iops 2500" --limit 20s --round 0.4s
holds err 'does not keep up with what falls due'
! limited compare rate rate --metric lat_p99 >out 2>err || fault "a comparison of p99 of requests that were never issued: $(cat out)"
limited compare rate rate >out 2>err
! grep -q 'response_time\|lat_p' out || fault "a comparison of response times: $(cat out)"
tr -s ' \n' ' ' <out >flat
grep -q 'does not keep up with what falls due' flat || fault "a comparison does not say what it left out"

# At a rate that the target completes, clauses pass as usual.
# shellcheck disable=SC2086
longer 0 run null --ioengine null --null-script const:100us --rate_iops 1000 --sla 'p90<1000s'

finish
