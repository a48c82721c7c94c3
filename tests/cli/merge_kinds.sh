#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel merge of small logs of other programs with known values: means of intervals, flushes that fio counts under other
# operations, the same I/Os in two logs, several jobs of one run, histograms without a duration.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# value METRIC OP [BEGIN]: prints its value in the CSV in out.
value() {
    awk -F, -v m="$1" -v o="$2" -v b="${3:-}" '$1 == m && $2 == o && $(NF - 8) == "" && $(NF - 7) == b { print $4; exit }' out
}

# is WANTED METRIC OP [BEGIN]: the value is exactly WANTED.
is() {
    wanted=$1
    shift
    [ "$(value "$@")" = "$wanted" ] || fault "$*: $(value "$@"), not $wanted"
}

# Identical latencies have exactly that mean, overall and in each interval, for intervals of any length.
for n in 7 13 17; do
    awk -v n=$n 'BEGIN { for (i = 1; i <= n; i++) print i * 100 ", 123457, 0, 4096, 0, 0" }' >same_lat.1.log
    status 0 merge same_lat.1.log --format csv
    is 123457 response_time read
    for interval in 300ms 500ms 1s 2s 10s; do
        status 0 merge same_lat.1.log --format csv --interval $interval
        is 123457 response_time read
        [ "$(awk -F, '$1 == "response_time" && $(NF - 7) != "" { print $4 }' out | sort -u)" = 123457 ] ||
            fault "the means of intervals of $interval"
    done
done

# Each interval has a rate, a bandwidth and a mean of its own.
awk 'BEGIN { for (i = 0; i < 20; i++) print 50 + i * 100 ", " (i < 10 ? 1000000 : 3000000) ", 0, " (i < 10 ? 4096 : 8192) ", 0, 0" }' >two_lat.1.log
status 0 merge two_lat.1.log --format csv --interval 1s
is 3000000 response_time read 1970-01-01T00:00:01.000Z
is 1000000 response_time read 1970-01-01T00:00:00.000Z
awk -v a="$(value bandwidth read 1970-01-01T00:00:00.000Z)" -v b="$(value bandwidth read 1970-01-01T00:00:01.000Z)" \
    -v c="$(value iops read 1970-01-01T00:00:00.000Z)" -v d="$(value iops read 1970-01-01T00:00:01.000Z)" \
    'BEGIN { exit !(a > 0 && a / c > 4095.9 && a / c < 4096.1 && b / d > 8191.9 && b / d < 8192.1) }' ||
    fault "bandwidth of intervals: $(value bandwidth read 1970-01-01T00:00:00.000Z)"
status 0 merge two_lat.1.log --format json --interval 1s
holds out '"mean": 3000000'

# fio 3.33 with fdatasync=1 and a synchronous engine counts flushes as short reads.
cat >flushes.json <<'EOF'
{"fio version": "fio-3.33", "timestamp_ms": 1795507200000, "jobs": [{"jobname": "log", "error": 0,
 "read": {"io_bytes": 0, "total_ios": 0, "short_ios": 200, "drop_ios": 0, "clat_ns": {"N": 0}},
 "write": {"io_bytes": 460000, "total_ios": 200, "short_ios": 0, "drop_ios": 0,
  "clat_ns": {"min": 2096, "max": 4128, "mean": 2324.8, "N": 200, "bins": {"2096": 150, "4128": 50}}},
 "sync": {"total_ios": 0, "lat_ns": {"min": 65024, "max": 130048, "mean": 78028.8, "N": 200, "bins": {"65024": 160, "130048": 40}}},
 "job_runtime": 1000}]}
EOF
status 0 merge flushes.json --format csv
is 200 iops write
is 200 iops sync
is 0 errors all
is 130048 lat_max sync
[ -z "$(value iops read)" ] || fault 'flushes are reads'

# The lat, clat and clat_hist logs of a job have the same I/Os and are refused together. All jobs of a run belong to one host.
for i in 1 2 3; do
    cp two_lat.1.log run_lat.$i.log
    echo "$((3000 + i)), 1000, 0, 4096, 0, 0" >>run_lat.$i.log
done
cp two_lat.1.log run_clat.1.log
refused 2 'fio wrote both of the same I/Os of one job' merge run_lat.1.log run_clat.1.log
refused 2 'fio wrote both of the same I/Os of one job' merge run_clat.1.log run_lat.2.log run_lat.1.log
status 0 merge run_lat.1.log run_lat.2.log run_lat.3.log --format csv
holds out '3 sources of 1 host'
status 0 merge run_lat.2.log run_clat.1.log --format csv

# In different folders such logs are recognised by the same job name, time and I/Os.
# bins FILE COARSENESS: writes a clat_hist log of the I/Os in two_lat.1.log until 1.5 s, with a row per 500 ms.
bins() {
    awk -v c="$2" 'BEGIN {
        for (row = 1; row <= 3; row++) {
            ns = row < 3 ? 1000000 : 3000000
            for (octave = 0; 2 ^ (octave + 1) <= ns; octave++);
            bin = int(((octave - 6) * 64 + int(ns / 2 ^ (octave - 6))) / 2 ^ c)
            line = row * 500 ", 0, 4096"
            for (i = 0; i < 1856 / 2 ^ c; i++) line = line ", " (i == bin ? 5 : 0)
            print line
        }
    }' >"$1"
}
mkdir raw total fine coarse
cp two_lat.1.log raw/j_clat.1.log
awk -F, '{ print $1 ", " $2 + 20000 "," $3 "," $4 "," $5 "," $6 }' two_lat.1.log >total/j_lat.1.log
bins fine/j_clat_hist.1.log 0
bins coarse/j_clat_hist.1.log 3
for pair in 'raw fine' 'raw coarse' 'raw total' 'total fine' 'fine total' 'coarse total'; do
    # shellcheck disable=SC2086
    refused 2 'with the same I/Os' merge $pair
done
status 0 merge raw -o sum
refused 2 'with the same I/Os' merge sum/merged.cupel fine

# Another job, another host and another time are not of the same I/Os; of one with other latencies nobody knows.
cp fine/j_clat_hist.1.log fine/k_clat_hist.1.log
cp fine/j_clat_hist.1.log fine/j_clat_hist.1.log.node7
sed 's/^1\{0,1\}[05]00,/7&/' fine/j_clat_hist.1.log >later
for other in fine/k_clat_hist.1.log fine/j_clat_hist.1.log.node7; do
    status 0 merge raw $other
    ! grep -q 'count twice' out || fault "$other counts twice"
done
mkdir elsewhere
cp later elsewhere/j_clat_hist.1.log
status 0 merge raw elsewhere
! grep -q 'count twice' out || fault 'another time counts twice'
sed 's/, 5/, 6/' fine/j_clat_hist.1.log >elsewhere/j_clat_hist.1.log
status 0 merge raw elsewhere --full
tr -s '\n ' '  ' <out >flat
holds flat 'if fio wrote both of the same I/Os, they count twice'

# Intervals of a merged.cupel that do not add up to those that limits are judged in: the report says so.
status 0 merge raw --interval 300ms -o thirds
status 0 merge thirds/merged.cupel --interval 300ms --sla 'max<9ms' --full
tr -s '\n ' '  ' <out >flat
holds flat 'its intervals of 0.3 s do not add up to 1 s: limits are judged in those of --interval'
status 0 merge raw --interval 500ms -o halves
status 0 merge halves/merged.cupel --interval 500ms --sla 'max<9ms' --full
! grep -q 'add up' out || fault 'intervals of 500 ms add up to 1 s'
refused 2 'do not add up to 1 s' merge thirds/merged.cupel

# JSON+ and a log of the same time may have the same I/Os, with a warning. Logs of one format, or of other times, do not.
awk 'BEGIN { for (i = 1; i < 9; i++) print "1795507199" i "00, 1000000, 1, 4096, 0, 0" }' >same_time_lat.1.log
status 0 merge flushes.json same_time_lat.1.log
tr -s '\n ' '  ' <out >flat
holds flat 'are of the same time: if fio wrote both of the same I/Os, they count twice'
sed 's/^17955071/17955171/' same_time_lat.1.log >later_lat.1.log
status 0 merge flushes.json later_lat.1.log
! grep -q 'count twice' out || fault 'another time counts twice'
status 0 merge same_time_lat.1.log later_lat.1.log
! grep -q 'count twice' out || fault 'logs of one format count twice'

# Limits on any operation are judged the same with every --interval. A limit on an operation that did not occur is undecided.
sed 's/, 0, 4096, 0, 0/, 1, 4096, 0, 0/; s/, 0, 8192, 0, 0/, 1, 8192, 0, 0/' two_lat.1.log >writes_lat.1.log
for interval in '' '--interval 200ms' '--interval 1s' '--interval 1.7s'; do
    # shellcheck disable=SC2086
    status 1 merge writes_lat.1.log --sla 'max<2ms, write.p50<9ms' $interval
    grep 'write.p50' out >open
    [ -e without ] || cp open without
    cmp -s open without || fault "$interval: $(cat open), without it: $(cat without)"
done
status 5 merge writes_lat.1.log --sla 'trim.p99<1ms'

# A histogram without a duration gives percentiles but no rates.
printf '     usecs               : count     distribution\n        64 -> 127        : 90       |***|\n       128 -> 255        : 10       |*|\n' >bio
status 0 merge bio --format csv
for metric in iops bandwidth elapsed; do
    [ -z "$(value $metric read)$(value $metric all)" ] || fault "a histogram has $metric"
done
awk -v p="$(value lat_p50 read)" 'BEGIN { exit !(p >= 64000 && p < 128000) }' || fault "p50: $(value lat_p50 read)"
status 0 merge bio --full
holds out 'does not state how long it measured'
grep -q '^MERGED: [0-9.]* us read response time' out || fault "$(head -n 1 out)"
holds out 'p50'
status 0 merge bio --by device --format csv
grep '^elapsed' out && fault 'a group has a time that nobody knows'
refused 2 'no intervals' merge bio --interval 1s

# The file that cupel writes for Prometheus contains the same I/Os.
status 0 merge two_lat.1.log --format csv --metrics own.prom
p99=$(value lat_p99 read)
status 0 merge own.prom --format csv
awk -v a="$(value lat_p99 read)" -v b="$p99" 'BEGIN { exit !(a > b / 1.5 && a < b * 1.5) }' ||
    fault "p99 of our own metrics: $(value lat_p99 read), not $p99"

# ---- requests that an application records itself

# number BYTES VALUE: prints the number little-endian, as escapes for printf.
number() {
    awk -v n="$1" -v v="$2" 'BEGIN { for (i = 0; i < n; i++) { printf "\\%03o", v % 256; v = int(v / 256) } }'
}

# request BEGIN_US END_US BYTES OPERATION FAILED: prints one request of the binary format.
request() {
    # shellcheck disable=SC2059 # the numbers are escapes
    printf "$(number 8 $(($1 * 1000)))$(number 8 $(($2 * 1000)))$(number 8 "$3")$(number 4 77)$(number 2 "$4")$(number 2 "$5")"
}

# Two requests overlap; the first one in the file ends last; one failed. 9 blocks were requested during 2.499999 s with I/O in
# flight.
# shellcheck disable=SC2059
printf "CUPELREQ$(number 4 1)hostname$(number 12 0)" >head.bin
{
    cat head.bin
    request 4000000 4999999 2048 1 0
    request 1000000 2000000 1024 0 0
    cat head.bin
    request 1500000 2500000 1024 0 0
    request 4500000 4600000 512 0 1
} >app.requests
status 0 merge app.requests --format csv
is 1000000000 response_time read
is 999999000 response_time write
is 1 errors all
awk -v bps="$(value bps all)" 'BEGIN { exit !(bps > 3.6 && bps < 3.60001) }' || fault "BPS is $(value bps all)"
status 0 merge app.requests --by host --format csv
holds out ',hostname,'
head -c 100 app.requests >cut.requests
status 0 merge cut.requests
holds out 'cut'
{
    cat head.bin
    request 2 1 512 0 0
} >backwards.requests
refused 2 'record 2: it is no request' merge backwards.requests
{
    cat head.bin
    request 1 2 512 9 0
} >unknown.requests
refused 2 'record 2: it is no request' merge unknown.requests
# shellcheck disable=SC2059
printf "CUPELREQ$(number 4 2)hostname$(number 12 0)" >later.requests
refused 2 'it is of version 2' merge later.requests

finish
