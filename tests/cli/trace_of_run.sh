#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --trace of run and replay: it has every request of the measured rounds, and merge and replay read it. The slowest requests
# are at the times at which the script stalls. Full disks and kill -9 leave the part that was written.
# Slow: sessions of some seconds, one after the other.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# sum_of FILE NAME: prints the sum, over the rows with 0 in the second column, of the column NAME.
sum_of() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } $2 == 0 { n += $at } END { print n + 0 }' "$1"
}

# The trace has exactly the requests of the measured rounds, and none of trial rounds.
longer 0 run --ioengine null --iodepth 16 --numjobs 2 --rw randrw --runtime 2s --overhead 0 --trace -o one --full \
    --null-script '0.9s@const:1ms;0.05s@const:400ms;const:1ms'
begin=$(awk -F, '$2 == 0 { print $3; exit }' one/rounds.csv)
ios=$(sum_of one/rounds.csv ios)
bytes=$(sum_of one/rounds.csv bytes)
longer 0 merge one/trace.cupel --format csv
n=$(awk -F, '$1 == "errors" { print $8 }' out)
[ "$n" = "$ios" ] || fault "the trace has $n requests, the rounds $ios"
status 0 merge one/trace.cupel --format csv -o merged
totals=$(awk -F, '$1 == "lat_max" { print $4 }' merged/summary.csv | sort -n | tail -1)
longest=$(awk -F, '$1 == "lat_max" { print $4 }' one/summary.csv | sort -n | tail -1)
[ "${totals%.*}" -ge "${longest%.*}" ] || fault "the longest of the trace is $totals ns, that of the run $longest"
[ "$bytes" -eq $((ios * 4096)) ] || fault "$ios requests of 4096 bytes are not $bytes"
holds one/report.txt 'requests'

# The list of the slowest requests, slowest first: they took 400 ms, at the time of the scripted stall or of a stall of this
# machine.
holds one/worst.csv 'number,op,offset,length,job,begin_ns,latency_ns,failed,stall'
awk -F, -v begin="$begin" 'NR > 1 && $7 >= 400000000 && $6 > begin * 1e9 { n++ } END { exit n < 16 }' one/worst.csv ||
    fault "fewer than 16 requests took the scripted 400 ms: $(head -5 one/worst.csv)"
awk -F, 'NR > 2 && $7 > before { exit 1 } { before = $7 }' one/worst.csv || fault "worst.csv is not in order"
holds one/report.txt 'Slowest requests of the measured rounds'
grep -E 'requests( or more)? (waited for one stall of|were slow in a stretch of)' one/report.txt >words || fault "no stall in one/report.txt"
status 0 report one --format json
holds out '"slowest": ['
holds out '"stalls": ['
status 0 report one --full
grep -q 'Slowest requests of the measured rounds' out || fault "the record does not have the slowest requests"

# A trace of sixty reads at known offsets is replayed with --trace, and that trace replayed again: offsets and sizes stay the
# same. All sixty are in the list of the slowest, which has room for 64.
awk 'BEGIN { print "fio version 2 iolog\nf add\nf open"; for (i = 0; i < 60; i++) print "f read", (i * 7919) % 1000 * 4096, 4096 * (1 + i % 3); print "f close" }' >log
awk '$2 == "read" { print $3 "," $4 }' log | sort >expected
longer 0 replay log --ioengine null --null-script const:100us --trace=first.cupel -o first
longer 0 replay first.cupel --ioengine null --null-script const:100us --trace -o second
longer 0 replay second/trace.cupel --ioengine null --null-script const:100us -o third
for name in first second third; do
    sed 1d $name/worst.csv | cut -d, -f3,4 | sort >offsets
    cmp -s expected offsets || fault "$name has other requests: $(diff expected offsets | head -5)"
done

# Invalid combinations, and existing files.
refused 2 'give -o DIR' run --ioengine null --trace
refused 2 'standard output has the report' run --ioengine null --trace=-
refused 2 'several sessions have a trace each' run --ioengine null --trace=x.cupel --repeat 2 -o r
refused 2 'first.cupel: the trace cannot be made: File exists' run --ioengine null --trace=first.cupel --runtime 1s
refused 2 'nowhere/x.cupel: the trace cannot be made' run --ioengine null --trace=nowhere/x.cupel --runtime 1s

# After kill -9 the file is a valid trace, up to its last complete piece.
timeout -s KILL 60 "$CUPEL" run --ioengine null --null-script const:100us --iodepth 4 --runtime 50s --trace=killed.cupel >/dev/null 2>&1 &
session=$!
for _ in $(seq 300); do
    [ "$(stat -c %s killed.cupel 2>/dev/null || echo 0)" -lt 1000000 ] || break
    sleep 0.1
done
kill -KILL $session
wait $session 2>/dev/null
longer 0 merge killed.cupel --format csv
n=$(awk -F, '$1 == "errors" { print $8 }' out)
[ "${n:-0}" -gt 1000 ] || fault "a killed session left ${n:-no} requests"

# On a full disk the session continues and reports that the trace is incomplete.
if [ "$(id -u)" -eq 0 ] && mkdir full && mount -t tmpfs -o size=256k none full 2>/dev/null; then
    longer 0 run --ioengine null --null-script const:20us --iodepth 8 --runtime 2s --overhead 0 --trace=full/x.cupel --format json
    grep -q 'the trace is incomplete' out || fault "a full disk was not reported"
    grep -q 'requests are missing' out || fault "requests that are missing were not counted"
    longer 0 merge full/x.cupel --format csv
    umount full
else
    echo 'no full disk could be made: this part was left out'
fi
finish
