#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel replay without a device: the requests of every format are issued and counted, faulty traces are reported, invalid
# options are refused.
fixtures=$(cd "$(dirname "$0")/../fixtures/traces" && pwd)
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

# replayed ARGUMENT...: the replay has exit status 0, nothing on standard error, and no failed requests.
replayed() {
    status 0 replay "$@" --format csv
    [ "$(metric_of errors value)" = 0 ] || fault "replay $*: errors: $(metric_of errors value)"
}

# requests OP: prints their number in the CSV in out.
requests() {
    awk -F, -v op="$1" '$1 == "iops" && $2 == op { n = $8 } END { print n + 0 }' out
}

# Every format on the null engine: by default writes are issued as reads; with --allow-writes each request keeps its kind.
for name in msr.csv alibaba.csv tencent.csv umass.spc fiu.txt fio2.log fio3.log blkparse.txt sdb; do
    reads=$(grep -c "^$name,[0-9]*,R," "$fixtures/expected.csv")
    writes=$(grep -c "^$name,[0-9]*,W," "$fixtures/expected.csv")
    [ $((reads + writes)) -gt 0 ] || fault "expected.csv tells nothing of $name"
    replayed "$fixtures/$name" --ioengine null --speed 100x
    [ "$(requests read)" -eq $((reads + writes)) ] || fault "$name: $(requests read) requests instead of $reads + $writes"
    replayed "$fixtures/$name" --ioengine null --speed 100x --allow-writes
    [ "$(requests read)" -eq "$reads" ] || fault "$name: $(requests read) reads instead of $reads"
    [ "$(requests write)" -eq "$writes" ] || fault "$name: $(requests write) writes instead of $writes"
done

# The report counts the requests that were changed or left out.
limited replay "$fixtures/blkparse.txt" --ioengine null --full >out 2>err
tr -s '\n ' '  ' <out >words
for said in '3 writes were issued as reads' '2 flushes were left out' '1 discard was left out'; do
    holds words "$said"
done
limited replay "$fixtures/blkparse.txt" --ioengine null --full --allow-writes >out 2>err
tr -s '\n ' '  ' <out >words
for absent in 'issued as reads' 'flushes were left out' 'discard was left out'; do
    grep -F "$absent" words && fault "with --allow-writes: $absent"
done
replayed "$fixtures/blkparse.txt" --ioengine null --allow-writes
[ "$(requests trim)" -eq 1 ] || fault "with --allow-writes: $(requests trim) discards"
limited replay "$fixtures/blkparse.txt" --ioengine null --full --allow-writes --skip-discards >out 2>err
tr -s '\n ' '  ' <out >words
holds words '1 discard was left out'

# Discards need the same permission as writes. They make a hole in the file and change nothing else.
head -c 65536 /dev/zero | tr '\0' x >data
printf 'fio version 3 iolog\n0 /d add\n2 /d trim 8192 4096\n3 /d read 0 4096\n' >trims
printf 'fio version 3 iolog\n0 /d add\n2 /d trim 8192 4096\n' >alone
refused 3 'data' replay trims data --allow-writes
refused 3 'data' replay alone data --allow-writes
refused 2 'there is no read, write or flush in it' replay alone data
replayed trims data
replayed trims data --allow-writes --overwrite --skip-discards
[ "$(tr -dc x <data | wc -c)" -eq 65536 ] || fault 'discards that were not allowed changed the file'
cp data probe
if fallocate -p -o 0 -l 4096 probe 2>/dev/null; then
    replayed trims data --allow-writes --overwrite
    [ "$(requests trim)" -eq 1 ] || fault "$(requests trim) discards of a file"
    [ "$(tail -c +8193 data | head -c 4096 | tr -d '\0' | wc -c)" -eq 0 ] || fault 'no hole where the trace discards'
    [ "$(tr -dc x <data | wc -c)" -eq 61440 ] || fault 'more was discarded than the trace says'
fi

# blkparse's text, in which messages and merged requests are between the few requests that count.
awk 'BEGIN { for (i = 0; i < 20; i++) {
    printf "  8,16 1 %d 0.%03d000000 700 A R %d + 8 <- (8,17) 9\n", i, i, 64 * i
    printf "  8,16 1 %d 0.%03d001000 700 Q R %d + 8 [app]\n", i, i, 64 * i
    for (k = 0; k < 9; k++) printf "  8,16 1 0 0.%03d002000 0 m N scheduler message %d\n", i, k
    printf "  8,16 1 %d 0.%03d003000 700 D R %d + 8 [app]\n", i, i, 64 * i
    printf "  8,16 1 %d 0.%03d900000 0 C R %d + 8 [0]\n", i, i, 64 * i } }' >messages
replayed messages --ioengine null --speed asap
[ "$(requests read)" -eq 20 ] || fault "messages between: $(requests read) requests"

# A table whose columns are named by an option, and one whose format has a name.
printf 'Time,Kind,LBA,Blocks\n0.5,0,8,2\n1.0,1,16,4\n1.25,3,32,8\n' >table
columns=time=Time,unit=ms,op=Kind,offset=LBA,len=Blocks,unit=sectors,read=0,write=1,trim=3
replayed table --ioengine null --columns $columns --allow-writes
[ "$(requests read) $(requests write) $(requests trim)" = '1 1 1' ] || fault "named columns: $(cat out)"
printf '13.191135 30 0 5 1\n14.3 17 24 8 0\n' >disksim
replayed disksim --ioengine null --columns disksim
[ "$(requests read)" -eq 2 ] || fault "DiskSim: $(requests read) requests"
refused 2 'no trace in a format that is known' replay disksim --ioengine null
holds err 'columns'
refused 2 'event 2 cannot be read (the op "0" is no operation' replay table --ioengine null --columns time=1,unit=s,op=2,offset=3,len=4
refused 2 'exclude each other' replay table --ioengine null --columns disksim --trace-format msr
refused 2 'offset=COLUMN and len=COLUMN are needed' replay table --ioengine null --columns time=1,unit=s

# The same requests from a name that is the beginning of several files, from a folder of these, compressed, and from a pipe.
mkdir processors
cp "$fixtures"/sdb.blktrace.* processors
for trace in processors/sdb processors; do
    replayed $trace --ioengine null
    [ "$(requests read)" -eq 2 ] || fault "$trace: $(requests read) requests"
done
gzip -c "$fixtures/msr.csv" >msr.gz
replayed msr.gz --ioengine null --speed 100x
[ "$(requests read)" -eq 4 ] || fault "gzip: $(requests read) requests"
"$CUPEL" replay - --ioengine null --speed 100x --format csv <msr.gz >out 2>err || fault "a pipe: $(cat err)"
[ "$(requests read)" -eq 4 ] || fault "a pipe: $(requests read) requests"

# A long request is split, without loss.
echo '128166372003061629,hm,1,Read,4096,3000000,100' >long
replayed long --ioengine null
[ "$(requests read)" -eq 3 ] || fault "a long request became $(requests read)"
is_true "$(awk -F, '$1 == "bandwidth" { print $4 * 1 }' out) > 0"

# Traces that cannot be read: one line and exit status 2.
: >empty
refused 2 'empty' replay empty --ioengine null
echo 'nothing that is known' >unknown
refused 2 'unknown' replay unknown --ioengine null
head -c 100000 /dev/urandom >noise
refused 2 'noise' replay noise --ioengine null
refused 2 'no-such-trace' replay no-such-trace --ioengine null
refused 2 "the trace's name is empty" replay '' --ioengine null
printf '128166372003061629,hm,1,Read,4096,4096,100\n128166372003061630,hm,1,Read,oops,4096,100\n128166372003061639,hm,1,Read,8192,4096,100\n' >bad
refused 2 'event 2' replay bad --ioengine null --strict
holds err 'oops'
limited replay bad --ioengine null >out 2>err || fault "a bad event ended a replay that is not strict: $(cat err)"
tr -s '\n ' '  ' <out >words
holds words 'bad, event 2: it cannot be read'
holds words 'oops'
replayed bad --ioengine null
[ "$(requests read)" -eq 2 ] || fault "beside a bad event $(requests read) requests were issued"
head -c $(($(wc -c <msr.gz) - 12)) msr.gz >truncated.gz
refused 2 'breaks off' replay truncated.gz --ioengine null --strict
limited replay truncated.gz --ioengine null --speed 100x >out 2>err
got=$?
[ $got -eq 0 ] || [ $got -eq 2 ] || fault "truncated gzip: exit status $got: $(cat err)"
cat out err >words
holds words 'breaks off'
refused 2 'no format of traces' replay bad --ioengine null --trace-format nonsense
refused 2 '--level syscall' replay "$fixtures/msr.csv" --ioengine null --level syscall

# Invalid options.
refused 2 'TARGET is missing' replay bad
refused 2 'TRACE' replay
refused 2 '--open and --closed exclude each other' replay bad --ioengine null --open --closed
refused 2 '--speed 0' replay bad --ioengine null --speed 0
refused 2 '--speed -1' replay bad --ioengine null --speed -1
refused 2 '--speed fast' replay bad --ioengine null --speed fast
refused 2 '--allow-writes' replay bad ./target --overwrite
refused 2 'one of wrap, fold, scale, none' replay bad --ioengine null --map sideways
refused 2 'does-not-exist' replay bad does-not-exist
refused 2 '1 device of the trace has no target, and 2 targets have no device' replay bad a b
for speed in 2x 2 .5x 0.5 asap; do
    replayed bad --ioengine null --speed $speed
done
for way in '--map fold' '--map scale' '--map scale --extent 1g' '--closed' '--closed --numjobs 3' '--numjobs 4'; do
    # shellcheck disable=SC2086 # the option and its value are words
    replayed bad --ioengine null $way
    [ "$(requests read)" -eq 2 ] || fault "$way: $(requests read) requests"
done

# A kept replay is reported again.
replayed "$fixtures/msr.csv" --ioengine null --speed 100x -o kept
for file in record.cupel report.txt summary.csv; do
    [ -s kept/$file ] || fault "there is no kept/$file"
done
cp out first
status 0 report kept/record.cupel --format csv
cmp -s first out || fault "report gives other numbers than the replay: $(diff first out | head -n 4)"
refused 2 'event 2' replay bad --ioengine null --strict -o nothing
[ ! -e nothing ] || fault 'a refused replay left its folder'
finish
