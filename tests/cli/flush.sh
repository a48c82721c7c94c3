#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --fsync, --fdatasync and --sync: flushes are a separate operation in every output and when a record is read or merged.
# Combinations without a meaning are refused.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

source=${0%/*}/../..
case $source in
/*) ;;
*) source=$OLDPWD/$source ;;
esac
quiet='--realtime 0 --overhead 0 --monitor-cost 0'
file='run data --size 1m --bs 4k --direct 0'

# row FILE METRIC OP: prints the metric's value for that operation.
row() {
    awk -F, -v metric="$2" -v op="$3" '$1 == metric && $2 == op { print $4 }' "$1"
}

# close_to A B TIMES: true if A is TIMES times B within 10 %. A flush at the edge of a slice counts in the next slice.
close_to() {
    awk -v a="$1" -v b="$2" -v times="$3" 'BEGIN { b *= times; exit !(a > 0 && a < 1.1 * b && b < 1.1 * a) }'
}

# Writes and flushes take 1 ms each. A flush moves no blocks but its time is busy time: 8 blocks per two operations.
script='const:1ms'
# shellcheck disable=SC2086 # the options are words
longer 0 run --ioengine null --null-script $script --rw write --bs 4k --fdatasync 1 --runtime 1s --trace -o null $quiet --full
holds out 'write 4 KiB, fdatasync after each write, iodepth 1, 1 job'
write=$(row null/summary.csv iops write) sync=$(row null/summary.csv iops sync)
close_to "$write" "$sync" 1 || fault "$write writes and $sync flushes a second"
close_to "$(row null/summary.csv bps all)" "$write" 8 || fault "BPS is not blocks over the time of both"
[ -z "$(row null/summary.csv bandwidth sync)" ] || fault 'a flush has a bandwidth'
[ -n "$(row null/summary.csv lat_p99 sync)" ] || fault 'a flush has no p99'
[ -z "$(row null/summary.csv iops all)" ] || fault 'writes and flushes are added up'
holds null/histogram.csv 'sync,'
holds null/worst.csv ',sync,0,0,'

# The record, and results computed from it.
status 0 report null --format csv
[ "$(row out iops sync)" = "$sync" ] || fault 'the report of the record has other flushes'
status 0 report null --format json
holds out '"fdatasync": 1'
status 0 report null --format fio-json
holds out '"sync": {'
status 0 merge null/record.cupel --by op --format csv
[ -n "$(row out lat_p99 sync)" ] || fault 'the merge has no flushes'
status 0 merge null/record.cupel -o merged
status 0 merge merged --format csv
[ -n "$(row out lat_p99 sync)" ] || fault 'the merge of a merge has no flushes'
status 0 merge null/trace.cupel --format csv
[ -n "$(row out lat_max sync)" ] || fault 'the trace has no flushes'
longer '0 5' compare null null
holds out 'sync.iops'
longer '0 5' report null --sla 'sync.p99<1s,errors=0'
status 2 report null --sla 'read.p99<1s'

# Merging a record of a version without flushes gives the numbers that that version printed.
status 0 merge "$source/tests/golden/record/version2_merged.cupel" --format csv
[ "$(row out lat_p99 read) $(row out service_p99 write)" = '1686806.3181818181 1810431.5' ] || fault 'an older merge has other numbers'
[ -z "$(row out iops sync)" ] || fault 'an older merge has flushes'

# On a file, with each engine; a mix of operations, and several jobs.
# shellcheck disable=SC2154 # got is set by longer
for engine in sync readwrite stdio uring; do
    # shellcheck disable=SC2086 # the options are words
    longer '0 6' $file --ioengine $engine --rw randrw --fsync 4 --runtime 0.3s --format csv $quiet
    [ "$got" -eq 6 ] || close_to "$(row out iops write)" "$(row out iops sync)" 4 ||
        [ "$(row out iops sync | cut -d. -f1)" -lt 100 ] || fault "$engine: not four writes a flush: $(cat out)"
done
# shellcheck disable=SC2086 # the options are words
longer '0 6' $file --ioengine uring --iodepth 4 --numjobs 2 --rw write --fdatasync 2 --sync dsync --runtime 0.3s --format csv $quiet
[ "$got" -eq 6 ] || [ -n "$(row out iops sync)" ] || fault 'no flushes with several in flight'
[ "$(wc -c <data)" -ge 1048576 ] || fault 'the file has become shorter'

# --mode initialwrite truncates the file at its start; a flush does not truncate it.
# shellcheck disable=SC2086 # the options are words
longer 0 run new --size 160k --bs 32k --mode initialwrite --direct 0 --fsync 1 --runtime 0.3s --format csv $quiet
[ -n "$(row out iops sync)" ] || fault 'a mode has no flushes'
[ "$(row out errors all)" = 0 ] || fault 'a mode with flushes has errors'

# O_DSYNC reaches the system call; the file is filled without it.
if is_static && strace -o first true 2>/dev/null; then
    # shellcheck disable=SC2086 # the options are words
    timeout -s KILL 60 strace -f -qq -o calls -e trace=open,openat,pwrite64,fdatasync "$CUPEL" run fresh --size 1m --direct 0 --rw write \
        --sync dsync --fdatasync 2 --runtime 0.2s $quiet >out 2>err </dev/null || fault 'no run with O_DSYNC'
    grep -q 'O_DSYNC' calls || fault 'nothing was opened with O_DSYNC'
    # Counts the flushes of the descriptor that writes: at its beginning and end the session flushes another descriptor.
    awk '{ split($0, part, "[(,)]") } /pwrite64\(.*4096/ { n++; written = part[2] }
        /fdatasync\(/ && part[2] == written { if (n != 2) { bad = 1 } n = 0 } /O_DSYNC/ { n = 0; bad = 0; written = "" } END { exit bad }' calls ||
        fault 'not two writes, then a flush'
fi

# The same options in a fio job.
printf '[log]\nrw=write\nbs=2300\nfdatasync=1\nsize=1m\nend_fsync=1\n' >etcd.fio
status 0 run etcd.fio --dry-run
holds out '--bs=2300 --fdatasync=1'
status 2 run --name=x --rw=write --fdatasync=1 --sync=1 --filename=/f
holds err '--fdatasync=1'
holds err '--sync=sync'

refused 2 '--fsync needs writes (--rw)' run data --fsync 1
refused 2 'two kinds of the same flush' run data --rw write --fsync 1 --fdatasync 1
refused 2 'must be between 1 and' run data --rw write --fdatasync 0
refused 2 '--fdatasync and --rate_iops exclude each other' run data --rw write --rate_iops 10 --fdatasync 1
refused 2 'over the network nothing is flushed' run --net localhost --rw write --fdatasync 1
refused 2 'cannot be polled for' run data --rw write --fdatasync 1 --iopoll on
refused 2 'must be one of none, sync, dsync' run data --rw write --sync full
refused 2 'opens none' run --ioengine null --rw write --sync dsync
refused 2 'has no flushes' run data --rw write --sla 'sync.p99<1ms'
refused 2 'a flush moves no data' run data --rw write --fsync 1 --sla 'sync.bandwidth>1MB/s'
printf 'foreign' >foreign
refused 3 '--overwrite' run foreign --rw write --bs 512 --direct 0 --fdatasync 1
finish
