#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A loop device as the target: read after it was filled, refused if it was never written, written only with --destroy and
# never while it is in use. Every block is written with new data.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

head -c 33554432 /dev/urandom >disk
attach disk
before=$(sum_of disk)
measured "$LOOP"
[ "$(metric_of iops op)" = read ] || fault "the op is $(metric_of iops op)"
measured "$LOOP" --ioengine uring --iodepth 32 --bs 16k
measured "$LOOP" --rw read --bs 256k --ioengine sync --numjobs 2
refused 2 'multiple of 512' run "$LOOP" --bs 1000
refused 2 '32 MiB' run "$LOOP" --offset 40m
refused 3 --destroy run "$LOOP" --rw randwrite
refused 3 --destroy run "$LOOP" --rw randrw --overwrite
refused 3 'its serial number cannot be read' run "$LOOP" --rw write --destroy-serial LOOP # a loop device has none
refused 3 'its serial number cannot be read' run "$LOOP" --destroy --rw write --destroy-serial ' '
refused 3 'it is no block device' run disk --rw write --overwrite --destroy-serial LOOP
refused 3 'it is no block device' run . --destroy-serial LOOP
refused 2 'No such file' run new-file --size 1m --destroy-serial LOOP
refused 2 'has none' run --ioengine null --destroy-serial LOOP
[ ! -e new-file ] || fault 'a file was made before the refusal'
[ "$(sum_of disk)" = "$before" ] || fault 'reading or a refusal changed the device'

# A device that was never written.
truncate -s 32M empty
attach empty
refused 3 "$LOOP" run "$LOOP"
measured "$LOOP" --allow-unwritten

# With permission the whole device is written, with blocks that differ and cannot be compressed.
head -c 4194304 /dev/zero >small
attach small
measured "$LOOP" --rw write --destroy
sync "$LOOP"
# shellcheck disable=SC2016 # $FILE is for split
split -b 4096 --filter='sha256sum' "$LOOP" | sort | uniq -c | awk '{ print $1 }' | sort -n | tail -n 1 >most
[ "$(cat most)" -eq 1 ] || fault "one block was written $(cat most) times"
is_true "$(gzip -9 <"$LOOP" | wc -c) > 0.99 * 4194304"
sum_of "$LOOP" >first
measured "$LOOP" --rw write --destroy --seed 2
sync "$LOOP"
sum_of "$LOOP" | cmp -s - first && fault 'another seed wrote the same data'

# A mounted device is in use, whatever is permitted.
mount_ext4 32M
echo precious >"$MOUNT/precious"
sync "$MOUNT"
for rw in write randrw; do
    refused 3 "$LOOP" run "$LOOP" --rw $rw --destroy
    holds err "$MOUNT"
    refused 3 "$LOOP" run "$LOOP" --rw $rw --destroy --overwrite --allow-unwritten
done
[ "$(cat "$MOUNT/precious")" = precious ] || fault 'a mounted filesystem was written to'
mknod other b "$(stat -c %Hr "$LOOP" 2>/dev/null || echo 7)" "$(stat -c %Lr "$LOOP" 2>/dev/null || echo "${LOOP#/dev/loop}")"
refused 3 "$MOUNT" run ./other --rw write --destroy # another name of the same device
ln -s "$LOOP" link
refused 3 "$MOUNT" run ./link --rw write --destroy
finish
