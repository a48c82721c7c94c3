#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel merge: records of several sessions as one system, in any order and through any tree of merges; bad input.
tests=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=/dev/null
. "$tests/cli/checks"

# value METRIC OP [GROUP [BEGIN]]: prints its value in the CSV in out.
value() {
    awk -F, -v m="$1" -v o="$2" -v g="${3:-}" -v b="${4:-}" \
        '$1 == m && $2 == o && $(NF - 8) == g && $(NF - 7) == b { print $4; exit }' out
}

near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(a != "" && d <= t * b) }' ||
        fault "$1 is not near $2"
}

for i in 1 2 3 4; do
    rw=randread
    [ "$i" -le 2 ] || rw=randrw
    label=rack=R$((i / 2)) # R0, R1, R1; the last record has no rack
    [ "$i" -le 3 ] || label=room=east
    "$CUPEL" run null --ioengine null --rw $rw --size 64m --rate_iops ${i}k --runtime 5s --seed $i --label "$label" \
        -o run$i >/dev/null 2>&1 &
done
wait

# All records: completions are summed over them; percentiles need no rates.
status 0 merge run1 run2 run3 run4 --format csv
cp out all.csv
holds out 'the interval is that of unlisted gaps'
head -n 1 out | grep -q '^metric,op,unit,value,ci_low,ci_high,confidence,n,effective_n,note,next_low,next_high,group,begin,target,rw,bs,iodepth,numjobs,label,date$' || fault "the header is $(head -n 1 out)"
n=$(awk -F, '$1 == "lat_p99" && $2 == "read" { print $8 }' out)
sum=0
for i in 1 2 3 4; do
    longer "0 5" report run$i --format csv
    sum=$((sum + $(awk -F, '$1 == "lat_max" && $2 == "read" { print $8 }' out)))
done
[ "$n" = "$sum" ] || [ "$n" -ge "$sum" ] || fault "reads: $n in the merge, $sum in the records"

# The order of records and merges of merges do not change one byte; nor does naming a folder that contains the records.
status 0 merge run1 run2 run3 run4 -o one
status 0 merge run4 run2 run1 run3 -o other
cmp one/merged.cupel other/merged.cupel || fault 'the order changes merged.cupel'
status 0 merge run1 run3 -o left
status 0 merge run2 -o middle
status 0 merge middle run4 -o right
status 0 merge right left -o tree
cmp one/merged.cupel tree/merged.cupel || fault 'a tree of merges differs from one merge'
status 0 merge tree --format csv
cut -d, -f 1-9 out >tree.rows
cut -d, -f 1-9 all.csv | cmp - tree.rows || fault 'the rows of a merge of merges differ'

# The merged file can be reported again and judged by other limits. An interval longer than the run is one row.
status 0 report one
head -n 1 out | grep -q '^MERGED: ' || fault "the report of a merge begins with $(head -n 1 out)"
status 1 report one/merged.cupel --sla 'iops>999M'
status 0 merge run1 run2 --interval 1h --format csv
[ "$(awk -F, '$1 == "iops" && $(NF - 7) != ""' out | wc -l)" -le 2 ] || fault 'an hour has several intervals'
[ -n "$(value iops read)" ] || fault 'an interval longer than the run has no rate'
mkdir -p deep/er/1 deep/er/2
cp run1/record.cupel deep/er/1
cp run2/record.cupel deep/er/2
status 0 merge deep
holds out '2 sources of 1 host'

# Groups and intervals are parts of the whole. (An interval with hardly any measured time has latencies but no rate.)
status 0 merge run1 run2 run3 run4 --by device --format csv
[ "$(value errors all null)" = 0 ] || fault "no row of the device: $(value errors all null)"
status 0 merge run1 run2 run3 run4 --by op --interval 500ms --format csv
sums=$(awk -F, '$(NF - 7) != "" && $1 == "lat_max" { n += $8 } $(NF - 7) == "" && $1 == "lat_max" && $(NF - 8) == "" { all += $8 }
    END { print n + 0, all + 0 }' out)
if [ "${sums% *}" != "${sums#* }" ] || [ "${sums% *}" -le 0 ]; then
    fault "the intervals do not add up to the whole: $sums; $(grep '^lat_max,' out | awk -F, '{ printf "%s %s %s;", $2, $(NF - 7), $8 }')"
fi
holds out ',write,'

status 0 merge run1 run2 run3 run4 --by source --interval 500ms --format csv
awk -F, '$1 == "lat_max" && $(NF - 7) != "" { if ($(NF - 8) == "") all += $8; else parts += $8 } END { exit !(all == parts && all > 0) }' out ||
    fault 'the intervals of the sources do not add up to those of all'
# Groups by the value of a label; records without the label form one group.
status 0 merge run1 run2 run3 run4 --by label:rack --interval 500ms --format csv
[ "$(awk -F, 'NR > 1 && $(NF - 8) != "" { print $(NF - 8) }' out | sort -u | tr '\n' ' ')" = '- R0 R1 ' ] ||
    fault "groups of a label: $(awk -F, '{ print $(NF - 8) }' out | sort -u)"
awk -F, '$1 == "lat_max" && $(NF - 7) != "" { if ($(NF - 8) == "") all += $8; else parts += $8 } END { exit !(all == parts && all > 0) }' out ||
    fault 'the intervals of the racks do not add up to those of all'
status 0 merge run1 run2 run3 run4 --by label:rack --full
holds out 'By rack'
status 0 merge tree --by label:rack --format csv # a merged file knows the labels of its parts
awk -F, '$1 == "iops" && $2 == "all" && $(NF - 8) == "R1" { found = 1 } END { exit !found }' out || fault 'a merge forgot its labels'
status 0 merge tree --by label:op --format csv
awk -F, '$1 == "iops" && $(NF - 8) == "-" && $2 == "all" { found++ } END { exit found != 1 }' out ||
    fault 'groups of a label that nobody has'
refused 2 'it must be one of nothing, host' merge run1 --by rack
refused 2 'the key of a --label is expected' merge run1 --by label:
refused 2 'the key of a --label is expected' merge run1 --by 'label:a=b'

status 2 merge tree --by source --interval 500ms
holds err 'merge the records'

# The text: the verdict first, 80 columns, one line per host.
status 0 merge run1 run2 run3 run4 --full
head -n 1 out | grep -q '^MERGED: ' || fault "the first line is $(head -n 1 out)"
wide=$(LC_ALL=C.UTF-8 grep -E '.{81}' out) && fault "text wider than 80 columns: $wide"
holds out 'is not the'
status 0 merge run1 run2 --format json
holds out '"merged": {'

# Limits are judged over all hosts: one host reads in 0.1 ms for a minute, another in 0.2 ms.
for host in 1 2; do
    awk -v host=$host 'BEGIN { srand(host)
        for (ms = 5; ms <= 60000; ms += 5) printf "%d, %d, 0, 4096, 0\n", ms, (host + rand() * .1) * 100000 }' >steady_lat.1.log.host$host
done
status 0 merge steady_lat.1.log.host1 steady_lat.1.log.host2 --sla 'read.p50<1ms,read.p99<300us' --format csv
status 1 merge steady_lat.1.log.host1 steady_lat.1.log.host2 --sla 'read.p99<150us' --format csv
near "$(value iops read)" 400 0.0005
near "$(value lat_p99 read)" 209800 .0157

# An interval without any I/O has a row as well, so that a stall is not a gap in the table.
awk 'BEGIN { for (ms = 10; ms <= 6000; ms += 10) if (ms < 2000 || ms >= 4000) printf "%d, 100000, 0, 4096, 0\n", ms }' >stall_lat.1.log
status 0 merge stall_lat.1.log --interval 1s --format csv
[ "$(awk -F, '$1 == "iops" && $(NF - 7) != "" && $4 == 0' out | wc -l)" = 2 ] || fault 'a stall of two seconds has no rows'
[ "$(awk -F, '$1 == "iops" && $(NF - 7) != "" && $4 > 0' out | wc -l)" -ge 4 ] || fault 'the other seconds have no rows'

# A run that is given twice counts once.
status 0 merge run1 run1/record.cupel --format csv
once=$(awk -F, '$1 == "lat_max" && $2 == "read" { print $8 }' out)
status 0 merge run1 --format csv
[ "$once" = "$(awk -F, '$1 == "lat_max" && $2 == "read" { print $8 }' out)" ] || fault 'a run that was given twice counts twice'
status 0 merge run1 run1
holds out 'it counts once'
# A record that is already in a merged file counts once. Two merged files with a common record are refused, because nothing
# can be subtracted.
status 0 merge run1 left -o again
cmp again/merged.cupel left/merged.cupel || fault 'a record that is in a sum counts twice'
status 2 merge left one
holds err 'already'

# Records that are cut short or damaged, and files that are not records.
mkdir cut
head -c 20000 run3/record.cupel >cut/record.cupel
status 0 merge run1 cut
holds out 'it breaks off'
# A copy of a record that was made during the run is the same run: the complete record counts, in any order.
status 0 merge cut run3 -o whole
holds out 'it counts once'
status 0 merge run3 -o alone
cmp whole/merged.cupel alone/merged.cupel || fault 'a copy that breaks off counts beside its record'
head -c 1000 one/merged.cupel >short.cupel
status 2 merge short.cupel
holds err 'checksum'
echo hello >text
status 2 merge text
holds err 'format is not known'
: >empty
status 2 merge empty
holds err 'empty'
status 2 merge nothing-there
holds err 'No such file'
mkdir folder
status 2 merge folder
holds err 'nothing in this folder'
status 2 merge
status 2 merge run1 --interval 1ns
status 2 merge run1 -o run2
[ ! -e run2/merged.cupel ] || fault 'an existing folder was written to'
# Intervals that do not fit the intervals of a merged file.
status 2 merge left --interval 250ms
holds err 'do not add up'
# Ranks that a launcher began but that left no record are named; a clock can be corrected by an option.
for rank in 0 2; do
    CUPEL_RANK=$rank CUPEL_SIZE=4 CUPEL_JOB=j1 "$CUPEL" run null --ioengine null --size 64m --rate_iops 1k --runtime 1s -o rank%r >/dev/null 2>&1 &
done
wait
status 0 merge rank0 rank2
holds out '2 of 4 ranks left no record: ranks 1, 3'
host=$(uname -n)
status 0 merge rank0 rank2 --shift "$host=-3h" --format json
holds out '"clocks": 1'
before=$(sed -n 's/.*"begin": "\([^"]*\)".*/\1/p' out | head -n 1)
status 0 merge rank0 rank2 --format json
after=$(sed -n 's/.*"begin": "\([^"]*\)".*/\1/p' out | head -n 1)
[ "$(($(date -d "$after" +%s) - $(date -d "$before" +%s)))" = 10800 ] || fault "shifted from $after to $before"
status 2 merge rank0 --shift nobody=-3h
holds err 'no source is of a host'
status 2 merge rank0 --shift "$host"
status 2 merge rank0 --start-at yesterday

# In a short run the time at its edges is a large share; it counts neither in the run nor in the merge. The record is a stored
# one, since a run beside busy programs would vary.
record=$tests/golden/record/format3_closed.cupel
status 0 report "$record" --format csv
alone=$(metric_of iops value)
status 0 merge "$record" --format csv
near "$(metric_of iops value)" "$alone" .001
finish
