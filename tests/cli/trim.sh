#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --rw trim, randtrim, trimwrite, randtrimwrite: trims are a separate operation in every output and when a record is read or
# merged; each block is trimmed once; conflicting options are refused. Also --ioengine falloc and ftruncate.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

source=${0%/*}/../..
case $source in
/*) ;;
*) source=$OLDPWD/$source ;;
esac
quiet='--realtime 0 --overhead 0 --monitor-cost 0'

# row FILE METRIC OP: prints its value. rows FILE METRIC OP: prints its number of samples.
row() {
    awk -F, -v metric="$2" -v op="$3" '$1 == metric && $2 == op { print $4 }' "$1"
}
rows() {
    awk -F, -v metric="$2" -v op="$3" '$1 == metric && $2 == op { print $8 }' "$1"
}

# Trims and writes in turn, 1 ms each: all outputs, the record, and results computed from it.
# shellcheck disable=SC2086 # the options are words
longer 0 run --ioengine null --null-script const:1ms --rw trimwrite --bs 4k --size 1g --runtime 1s --trace -o null $quiet --full \
    --metrics null.prom
holds out 'trimwrite 4 KiB, iodepth 1, 1 job'
trim=$(row null/summary.csv iops trim) write=$(row null/summary.csv iops write) all=$(row null/summary.csv iops all)
awk -v t="$trim" -v w="$write" -v a="$all" 'BEGIN { exit !(t > 0 && t < 1.1 * w && w < 1.1 * t && a > 1.8 * t) }' ||
    fault "$trim trims, $write writes and $all of both a second"
[ -n "$(row null/summary.csv bandwidth trim)" ] || fault 'trims have no bandwidth'
[ -n "$(row null/summary.csv lat_p99 trim)" ] || fault 'trims have no p99'
holds null/histogram.csv 'trim,'
holds null/worst.csv ',trim,'
holds null.prom 'op="trim"'
holds null/report.html 'trim'
status 0 report null --format csv
[ "$(row out iops trim)" = "$trim" ] || fault 'the report of the record has other trims'
status 0 report null --format json
holds out '"trims": "before_writes"'
status 0 report null --format fio-json
holds out '"trim": {'
grep -A 6 '"trim": {' out | grep -q '"io_bytes": [1-9]' || fault "fio's JSON has no bytes of trims"
holds out '"rw": "trimwrite"'
longer '0 5' report null --sla 'trim.p99<1s,trim.iops>1'
status 0 merge null/record.cupel --by op --format csv
[ -n "$(row out lat_p99 trim)" ] || fault 'the merge has no trims'
status 0 merge null/record.cupel -o merged
status 0 merge merged --format csv
[ -n "$(row out lat_p99 trim)" ] || fault 'the merge of a merge has no trims'
[ -n "$(row out bandwidth trim)" ] || fault 'the trims of a merge have no bandwidth'
status 0 merge null/trace.cupel --format csv
[ -n "$(row out lat_max trim)" ] || fault 'the trace has no trims'
longer '0 5' compare null null
holds out 'trim.iops'
# A merged file of a version without trims.
status 0 merge "$source/tests/golden/record/version3_merged.cupel" --format csv
[ "$(row out lat_p99 sync)" = 1220607.5 ] || fault 'a merge of version 3 is read as something else'

# freed FILE: prints the KiB that the file still takes on the disk.
freed() {
    du -k "$1" | cut -f 1
}

# Each block is trimmed once, in order or at random, and then the run ends. Files in memory and on a disk.
for folder in . /dev/shm; do
    [ -w "$folder" ] || continue
    file=$folder/cupel-trims.$$
    rm -f "$file"
    for how in 'trim --iodepth 1' 'randtrim --iodepth 1' 'randtrim --iodepth 8 --numjobs 2'; do
        # shellcheck disable=SC2086
        longer 0 run "$file" --size 8m --bs 4k --rw $how $quiet --format csv
        [ "$(rows out errors all)" = 2048 ] || fault "$folder, $how: $(rows out errors all) trims of 2048 blocks"
        [ "$(freed "$file")" -le 64 ] || fault "$folder, $how: $(freed "$file") KiB are left"
        [ "$(wc -c <"$file")" = 8392704 ] || fault "$folder, $how: the size is another"
    done
    # The trimmed file still counts as cupel's own and is filled again. With --runtime blocks are trimmed repeatedly, with a
    # note.
    # shellcheck disable=SC2086
    longer 0 run "$file" --size 256k --bs 4k --rw randtrim --runtime 1s $quiet --full
    holds out 'of blocks that had been trimmed before'
    # A pass shorter than a slice is measured as a whole.
    # shellcheck disable=SC2086
    longer 0 run "$file" --size 64k --bs 4k --rw trim --numjobs 3 $quiet --format csv
    [ "$(rows out iops trim)" = 16 ] || fault "$folder: $(rows out iops trim) of 16 trims are in the rate"
    # Trimming a part of the file leaves the other blocks as they were.
    # shellcheck disable=SC2086
    longer 0 run "$file" --bs 64k --rw trim --offset 2m --size 4m $quiet
    kept=$(freed "$file")
    { [ "$kept" -ge 4096 ] && [ "$kept" -le 4200 ]; } || fault "$folder: $kept KiB are left of 4 MiB"
    # Trimmed blocks are written again.
    # shellcheck disable=SC2086
    longer 0 run "$file" --bs 64k --rw randtrimwrite --runtime 1s --iodepth 4 $quiet --format csv
    { [ -n "$(row out iops write)" ] && [ -n "$(row out iops trim)" ]; } || fault 'no writes, or no trims'
    rm -f "$file"
done

# With --repeat, later sessions trim blocks that earlier ones trimmed, unless the target is a file that is filled again.
mkdir -p folder
for target in data folder; do
    # shellcheck disable=SC2086
    longer 0 run $target --size 1m --rw trim --bs 64k --repeat 2 $quiet
    if [ $target = data ]; then
        grep -q 'trimmed before' out && fault 'a file that was filled again had been trimmed before'
    else
        holds out 'session 2: 100 % of the trims were of blocks'
    fi
done

# Several sizes, with R,W,T for reads, writes and trims; trims with due times.
# shellcheck disable=SC2086
longer 0 run data --size 4m --rw randtrim --bssplit 8k,16k,4k/50:64k/50 --runtime 1s $quiet --full
holds out 'randtrim'
# shellcheck disable=SC2086
longer 0 run data --size 4m --rw randtrim --rate_iops 200 --bs 64k --runtime 1s $quiet --format csv
[ -n "$(row out service_p99 trim)" ] || fault 'trims of a rate have no service time'

# Foreign files are protected as against writes.
cp data foreign
printf x | dd of=foreign bs=1 conv=notrunc 2>/dev/null
sum=$(cksum <foreign)
refused 3 'overwrite' run foreign --rw trim
refused 3 'overwrite' run foreign --ioengine falloc --rw read --direct 0
refused 3 'overwrite' run foreign --ioengine ftruncate --rw write --direct 0
refused 3 'not in the region' run foreign --overwrite --ioengine ftruncate --rw write --bs 4k --direct 0 --offset 4k --size 64k
sh -c 'ulimit -f 1024; exec "$0" run foreign --overwrite --ioengine ftruncate --rw write --bs 4k --direct 0' "$CUPEL" >out 2>err
[ $? = 2 ] || fault 'ftruncate goes on under a limit that the size of the file is above'
holds err 'would not let it have its size again'
[ "$sum" = "$(cksum <foreign)" ] || fault 'a file was changed that is not cupel'\''s own'
refused 2 'no multiple of the filesystem' run data --rw trim --bs 512
refused 2 'fewer of them than 32 in flight' run data --size 1m --bs 64k --iodepth 32 --rw trim
refused 2 '--rwmixread needs --rw rw or randrw' run data --rw trim --rwmixread 30
refused 2 'this workload has no trims' run data --sla 'trim.p99<1ms'

# --write_mode chooses commands that only NVMe has.
for engine in uring sync null; do
    refused 2 'these are commands of NVMe' run data --rw write --ioengine $engine --write_mode zeroes
done
refused 2 'these are commands of NVMe' run data --rw write --write_mode write
refused 2 '--write_mode needs writes (--rw)' run data --ioengine nvme --rw read --write_mode zeroes
refused 2 '--write_mode and --rw trim exclude each other' run data --ioengine nvme --rw trim --write_mode zeroes
refused 2 '--write_mode and --cmdprio_percentage exclude each other' run data --ioengine nvme --rw write --write_mode zeroes --cmdprio_percentage 10
refused 2 '--write_mode and --verify exclude each other' run data --ioengine nvme --rw write --write_mode zeroes --verify
refused 2 'shape the data of writes' run data --ioengine nvme --rw write --write_mode zeroes/50:uncor/50 --buffer_pattern 1
refused 2 'column 10: MODE/PERCENT is expected' run data --ioengine nvme --rw write --write_mode write/60:zeroes
refused 2 'the shares make 90 %, not 100 %' run data --ioengine nvme --rw write --write_mode write/60:zeroes/30
refused 2 'column 10: this command stands there twice' run data --ioengine nvme --rw write --write_mode write/60:write/40
refused 2 'column 1: write, zeroes, uncor or verify is expected' run data --ioengine nvme --rw write --write_mode fast

# In a sweep without --runtime each run trims every block once; its responses are those of trims.
cat >plan.txt <<END
target: data
realtime: 0
size: 1m
factor rw: trim randtrim
bs: 64k
response: iops p99
repeats: 2
END
refused 2 'would trim what is free already' sweep plan.txt --overwrite
longer 0 sweep plan.txt -o sweep --keep-records
[ "$(awk -F, 'NR > 1 && $2 > 0 && $3 > 0' sweep/runs.csv | wc -l)" = 4 ] || fault "responses of trims: $(cat sweep/runs.csv)"
find sweep -name '*.cupel' >records
while read -r record; do
    status 0 report "$record"
    holds out COMPLETE
done <records

# falloc: a write allocates its range, a trim makes a hole.
# shellcheck disable=SC2086
longer 0 run space --size 8m --ioengine falloc --rw randtrim --bs 64k --direct 0 $quiet
[ "$(freed space)" -le 64 ] || fault "$(freed space) KiB are left of the holes"
cp --sparse=always space holes
# shellcheck disable=SC2086
longer 0 run holes --ioengine falloc --rw write --bs 64k --direct 0 --runtime 1s --overwrite $quiet --format csv
[ -n "$(row out bandwidth write)" ] || fault 'allocation has no bandwidth'
[ "$(freed holes)" -ge 8192 ] || fault "$(freed holes) KiB were allocated of 8 MiB"
# Allocating a range that is allocated already does nothing, which the report states; a file of holes is allocated once.
# shellcheck disable=SC2086
longer 0 run space --size 8m --ioengine falloc --rw write --bs 64k --direct 0 --runtime 300ms $quiet
holds out '100 % of the allocations or more were of space'
# shellcheck disable=SC2086
longer 0 run space --ioengine falloc --rw randtrimwrite --bs 64k --direct 0 --runtime 300ms $quiet
grep -q 'of the allocations' out && fault 'what was freed before is said to have been there'
# ftruncate moves no bytes; afterwards the file has its size and cupel's mark again.
# shellcheck disable=SC2086
longer 0 run size --size 8m --ioengine ftruncate --rw randwrite --bs 4k --direct 0 --runtime 1s $quiet --format csv
{ [ -n "$(row out iops write)" ] && [ -z "$(row out bandwidth write)" ]; } || fault 'ftruncate moves bytes'
[ "$(wc -c <size)" = 8392704 ] || fault "the size is $(wc -c <size)"
# shellcheck disable=SC2086
longer 0 run size --ioengine ftruncate --rw write --bs 1000 --offset 500 --direct 0 --runtime 300ms $quiet -o sizes
longer 0 run size --ioengine ftruncate --rw write --bs 4k --direct 0 --runtime 300ms --realtime 0
status 0 merge sizes/record.cupel --format csv
[ -z "$(row out bandwidth write)" ] || fault 'a merge has a bandwidth of ftruncate'

# fio's examples for falloc and ftruncate, with shorter times.
cat >falloc.fio <<END
[global]
ioengine=falloc
direct=0
directory=$PWD
size=8M
runtime=1
time_based
[fuzzer]
bssplit=4k/10:64k/50:32k/40
rw=randwrite
filename=fragments
[punch hole]
bs=4k
rw=randtrim
numjobs=2
filename=fragments
[write after]
stonewall
ioengine=libaio
iodepth=16
direct=1
rw=write
bs=64k
filename=fragments
END
longer 0 run falloc.fio
holds out '2 targets at the same time'
holds out 'write after'
finish
