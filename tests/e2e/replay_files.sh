#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel replay on a file and on a block device: a replay that only reads changes nothing; one that writes needs the same
# permissions as cupel run; requests reach the kernel in the order and at the offsets of the trace.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

# Reads and writes of 4 KiB all over 8 MiB, one every 200 us.
awk 'BEGIN { for (i = 0; i < 2000; i++)
    printf "128166%012d,hm,1,%s,%d,4096,10\n", 2000 * i, i % 3 ? "Read" : "Write", 4096 * (i * 1237 % 2048) }' >mixed
grep -v Write mixed >reading
head -c 8388608 /dev/urandom >file
sum=$(sum_of file)

replayed() {
    status 0 replay "$@" --format csv
    is_true "$(metric_of errors value) == 0"
    is_true "$(metric_of iops n) >= 1333"
}

# By default nothing is written, whatever the trace contains and whatever else is permitted.
for way in '--open' '--closed' '--speed asap --iodepth 32' '--map scale' '--ioengine sync' '--numjobs 3' '--direct 0'; do
    # shellcheck disable=SC2086 # the options are words
    replayed mixed ./file $way
    [ "$(sum_of file)" = "$sum" ] || fault "replay $way changed the file"
    [ -z "$(awk -F, '$2 == "write"' out)" ] || fault "replay $way reports writes"
done

# Writing needs permission, and another permission for a file that cupel did not make.
refused 3 --overwrite replay mixed ./file --allow-writes
refused 2 --allow-writes replay mixed ./file --overwrite
[ "$(sum_of file)" = "$sum" ] || fault 'a refused replay changed the file'
# A trace without writes writes nothing, even with permission.
replayed reading ./file --allow-writes
[ "$(sum_of file)" = "$sum" ] || fault 'a trace of reads changed the file'
replayed mixed ./file --allow-writes --overwrite
[ "$(sum_of file)" != "$sum" ] || fault 'writes that are allowed wrote nothing'
[ "$(stat -c %s file)" -eq 8388608 ] || fault "the file has another size: $(stat -c %s file)"
is_true "$(awk -F, '$1 == "iops" && $2 == "write" { print $8 }' out) == 667"
is_true "$(awk -F, '$1 == "iops" && $2 == "read" { print $8 }' out) == 1333"

# Holes are not measured as if they were data. In a folder a scratch file is used and removed.
truncate -s 8M holes
refused 3 holes replay mixed ./holes
mkdir scratch
replayed mixed scratch --allow-writes --size 8m
[ -z "$(ls -A scratch)" ] || fault "left in the folder: $(ls -A scratch)"

# A target smaller than the trace, with every --map: no request leaves the target.
head -c 1052672 /dev/urandom >small
for map in wrap fold scale; do
    replayed mixed ./small --map $map
done
status 0 replay mixed ./small --map none --format csv
is_true "$(metric_of iops n) < 1000 && $(metric_of iops n) > 50"
status 0 replay mixed ./small --map none
tr -s '\n ' '  ' <out >words
holds words 'did not fit the target and were left out'

# Order and offsets of the requests, as strace shows them.
if command -v strace >/dev/null && strace -o probe true 2>err; then
    ASAN_OPTIONS=detect_leaks=0 timeout -s KILL 60 strace -ff -o calls -e trace=pread64 "$CUPEL" replay mixed ./file --ioengine sync \
        --speed 100x >out 2>err </dev/null || fault "under strace: $(cat err)"
    busiest=$(wc -c calls.* | grep -v total | sort -n | awk 'END { print $2 }')
    sed -n 's/^pread64(.*, 4096, \([0-9]*\)) *= 4096$/\1/p' "$busiest" | tail -n 2000 >seen
    cut -d, -f5 mixed >asked
    cmp -s seen asked || fault "the requests are not those of the trace: $(diff seen asked | head -n 4)"
fi

# A block device is written only with --destroy.
head -c 16777216 /dev/urandom >disk.img
attach disk.img
sum=$(sum_of "$LOOP")
replayed mixed "$LOOP"
[ "$(sum_of "$LOOP")" = "$sum" ] || fault 'a replay that only reads changed the device'
refused 3 --destroy replay mixed "$LOOP" --allow-writes
refused 3 'its serial number cannot be read' replay mixed "$LOOP" --allow-writes --destroy-serial LOOP
refused 2 '--destroy-serial needs --allow-writes' replay mixed "$LOOP" --destroy-serial LOOP
replayed mixed "$LOOP" --allow-writes --destroy
[ "$(sum_of "$LOOP")" != "$sum" ] || fault 'writes that are allowed wrote nothing'
finish
