#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A file or device that is in use under another name is not written, whatever is permitted: a filesystem below a loop device
# or on another loop device of the same file, the file of a loop device, swap, a file that another program writes. A file that
# cupel made but that has other content now no longer counts as cupel's.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs losetup mkfs.ext4

# unchanged WHAT: the mounted filesystem's device is unchanged.
unchanged() {
    [ "$(sum_of ext4.32M)" = "$before" ] || fault "$1: a mounted filesystem was written"
}

# ---- below and beside a mounted loop device
mount_ext4 32M
mounted=$LOOP
unmount "$MOUNT" "$mounted"
mount -t ext4 -o ro "$mounted" "$MOUNT"
before=$(sum_of ext4.32M)
attach "$mounted"
above=$LOOP
refused 3 'which it is built on, holds a mounted' run "$above" --rw write --destroy --allow-unwritten
attach ext4.32M
refused 3 'a loop device on the same file, holds a mounted' run "$LOOP" --rw write --destroy --allow-unwritten
refused 3 'lies on it' run ext4.32M --rw write --overwrite --allow-unwritten
refused 3 "$MOUNT" run "$mounted" --rw write --destroy --allow-unwritten
unchanged 'below and beside'
measured "$above" --allow-unwritten
detach "$LOOP" "$above"

# Under every name: links, another mount of the folder, a file descriptor.
ln -s ext4.32M soft
ln ext4.32M hard
mkdir bound
mount --bind "$FOLDER" bound && mounts="$FOLDER/bound $mounts"
for name in soft hard bound/ext4.32M; do
    refused 3 'lies on it' run "$name" --rw write --overwrite --allow-unwritten
done
refused 3 'lies on it' run /dev/fd/5 --rw write --overwrite --allow-unwritten 5<ext4.32M
unchanged 'by other names'

# The filesystem is unmounted, but the loop device still uses the file; another loop device of it may be written.
unmount "$MOUNT" "$mounted"
refused 3 'lies on it' run ext4.32M --rw write --overwrite --allow-unwritten
attach ext4.32M
measured "$LOOP" --rw write --destroy --allow-unwritten
detach "$LOOP" "$mounted"
measured ext4.32M --rw write --overwrite --allow-unwritten

# A loop device over a part of a file, and another one over the same part.
head -c 8388608 /dev/urandom >parts
first=$(losetup --find --show --sizelimit 4194304 parts) && loops="$first $loops"
second=$(losetup --find --show --offset 4194304 parts) && loops="$second $loops"
mkfs.ext4 -q -F -O ^has_journal "$second"
mount -t ext4 "$second" "$MOUNT" || skip 'cannot mount'
echo precious >"$MOUNT/precious"
measured "$first" --rw write --destroy
[ "$(cat "$MOUNT/precious")" = precious ] || fault 'the other stretch of the file was written'
unmount "$MOUNT" "$second"

# ---- another program writes to it
limited run ./made --size 4m --limit 0.3s --overhead 0 >/dev/null 2>&1
measured made --rw randwrite
exec 6>>made
refused 3 'another program has it open for writing' run made --rw randwrite
exec 6>&-
measured made --rw randwrite

# ---- a file that cupel made and that was used for something else
cp made fat
if command -v mkfs.fat >/dev/null; then
    mkfs.fat fat >/dev/null
    tail -c 4096 fat | grep -q '^cupel scratch file' || fault 'the mark is gone, so this shows nothing'
    sum_of fat >before
    refused 3 'it holds something else now' run fat --rw randwrite
    measured fat
    sum_of fat | cmp -s - before || fault 'a file that holds a filesystem was written'
    measured fat --rw randwrite --overwrite
fi
cp made data
dd if=/dev/urandom of=data bs=1k count=1 seek=1001 conv=notrunc 2>/dev/null
refused 3 'it holds something else now' run data --rw randwrite
mount_ext4 64M
cp made "$MOUNT/swap"
chmod 600 "$MOUNT/swap"
if mkswap "$MOUNT/swap" >/dev/null 2>&1 && swapon "$MOUNT/swap" 2>/dev/null; then
    tail -c 4096 "$MOUNT/swap" | grep -q '^cupel scratch file' || fault 'the mark is gone, so this shows nothing'
    refused 3 'it holds something else now' run "$MOUNT/swap" --rw randwrite
    refused 3 'in use as swap' run "$MOUNT/swap" --rw randwrite --overwrite
    swapoff "$MOUNT/swap"
    # Pages that the kernel swapped out may have overwritten the mark.
    words='it holds something else now'
    tail -c 4096 "$MOUNT/swap" | grep -q '^cupel scratch file' || words='cupel did not make this file'
    refused 3 "$words" run "$MOUNT/swap" --rw randwrite
fi

# ---- without /proc and /sys the use cannot be looked up: existing files are read, and not written
if command -v chroot >/dev/null && is_static; then
    mkdir root
    cp "$CUPEL" root/cupel
    cp made data root
    inside() {
        # shellcheck disable=SC2086,SC2154 # the options are words; quick is in devices
        timeout -s KILL 30 chroot root /cupel run "$@" $quick >out 2>err </dev/null
        got=$?
    }
    inside /made
    [ $got -eq 0 ] || [ $got -eq 5 ] || fault "reading without /proc: exit status $got: $(cat err)"
    for arguments in '/made' '/data --overwrite'; do
        # shellcheck disable=SC2086 # the options are words
        inside $arguments --rw randwrite
        [ $got -eq 3 ] || fault "writing $arguments without /proc: exit status $got: $(cat err)"
        holds err 'cannot be read'
    done
    cmp -s data root/data || fault 'a file was written where nothing could be looked up'
    inside /new --size 4m --rw randwrite
    [ $got -eq 0 ] || [ $got -eq 5 ] || fault "a new file without /proc: exit status $got: $(cat err)"
    mkdir root/dev
    head -c 4194304 /dev/urandom >disk
    attach disk
    cp -a "$LOOP" root/dev/disk
    sum_of disk >before
    inside /dev/disk
    [ $got -eq 0 ] || [ $got -eq 5 ] || fault "reading a device without /proc: exit status $got: $(cat err)"
    inside /dev/disk --rw randwrite --destroy
    [ $got -eq 3 ] || fault "writing a device without /proc: exit status $got: $(cat err)"
    sum_of disk | cmp -s - before || fault 'a device was written where nothing could be looked up'
fi
finish
