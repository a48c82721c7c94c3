#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Trims of a block device, by ioctl and by io_uring: exactly the requested ranges are freed, and the trace has them. A device
# in use, without trims, or with a larger trim granularity is refused. On a device of compressed memory and on a loop device.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

quiet='--realtime 0 --overhead 0 --monitor-cost 0'
# Prints the KiB that the device stores.
held() {
    awk '{ print $1 / 1024 }' "/sys/block/$zram/mm_stat"
}
fill() {
    head -c 16777216 /dev/urandom | dd of="$device" bs=1M oflag=direct iflag=fullblock 2>/dev/null
    blockdev --flushbufs "$device"
}

# A loop device: refusals leave its file unchanged. Some kernels send it no discards.
head -c 16777216 /dev/urandom >disk
attach disk
before=$(sum_of disk)
refused 3 --destroy run "$LOOP" --rw trim
refused 3 --destroy run "$LOOP" --rw randtrimwrite --overwrite
refused 2 'falloc' run "$LOOP" --destroy --ioengine falloc --rw write --direct 0
refused 2 'ftruncate' run "$LOOP" --destroy --ioengine ftruncate --rw write --direct 0
echo 0 2>/dev/null >"/sys/block/${LOOP#/dev/}/queue/discard_max_bytes"
[ "$(cat "/sys/block/${LOOP#/dev/}/queue/discard_max_bytes")" != 0 ] ||
    refused 6 'it takes no trims' run "$LOOP" --destroy --rw trim
[ "$(sum_of disk)" = "$before" ] || fault 'a refusal changed the device'

[ -e /sys/class/zram-control/hot_add ] || finish
needs blockdev
zram=zram$(cat /sys/class/zram-control/hot_add)
echo 16M >"/sys/block/$zram/disksize"
device=/dev/$zram
for _ in $(seq 50); do
    [ ! -b "$device" ] || break
    sleep 0.1
done

engines='sync'
# shellcheck disable=SC2086 # the options are words
if limited run "$device" --destroy --rw trim --bs 4k --size 64k --ioengine uring $quiet >out 2>err; then
    engines='sync uring'
else
    holds err 'io_uring discards since Linux 6.12'
fi
fill
full=$(held)
[ "$full" = 16384 ] || fault "a full device holds $full KiB"
refused 2 'no multiple of its logical block' run "$device" --destroy --rw trim --bs 512
refused 3 --destroy run "$device" --rw randtrim
[ "$(held)" = "$full" ] || fault 'a refusal changed the device'
for engine in $engines; do
    fill
    depth=1
    [ "$engine" = sync ] || depth=8
    # shellcheck disable=SC2086
    longer 0 run "$device" --destroy --rw randtrim --bs 16k --offset 4m --size 8m --ioengine $engine --iodepth $depth -o "$engine" --trace $quiet
    [ "$(held)" = 8192 ] || fault "$engine: $(held) KiB are left of 8 MiB"
    dd if="$device" bs=4M skip=1 count=2 iflag=direct 2>/dev/null | cmp -s -n 8388608 - /dev/zero ||
        fault "$engine: the region does not read as zeros"
    trims=$(awk -F, '$1 == "errors" { print $8 }' "$engine/summary.csv")
    [ "$trims" = 512 ] || fault "$engine: $trims trims of 512 blocks"
    status 0 merge "$engine/trace.cupel" --format csv
    [ "$(awk -F, '$1 == "lat_max" && $2 == "trim"' out | wc -l)" -eq 1 ] || fault "$engine: the trace has no trims"
done

# Trimmed, then written: equally many of both, and at the end every block of the region is there again.
# shellcheck disable=SC2086
longer 0 run "$device" --destroy --rw randtrimwrite --bs 64k --runtime 1s $quiet --format csv
holds out 'iops,trim'
holds out 'iops,write'
[ "$(held)" -ge 16320 ] || fault "$(held) KiB are there after trims before writes"

# A mounted filesystem.
if command -v mkfs.ext4 >/dev/null; then
    mkfs.ext4 -q "$device" 2>/dev/null
    mkdir -p mounted
    if mount "$device" mounted; then
        mounts="$mounts $FOLDER/mounted"
        refused 3 mounted run "$device" --destroy --rw trim
        umount mounted
        mounts=''
    fi
fi
reset_zram
number=${zram#zram}
zram=''
echo "$number" >/sys/class/zram-control/hot_remove
finish
