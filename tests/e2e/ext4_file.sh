#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Files on ext4 on a loop device: every backend measures them; reading never changes them, and writing needs permission.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
mount_ext4 128M

# A file that cupel makes, marks and fills; then it is measured again unchanged.
measured "$MOUNT/made" --size 16m
[ "$(stat -c %s "$MOUNT/made")" -eq $((16 * 1048576 + 4096)) ] || fault "made has $(stat -c %s "$MOUNT/made") bytes"
holes=$(($(stat -c %s "$MOUNT/made") / 512 - $(stat -c %b "$MOUNT/made")))
[ "$holes" -le 0 ] || fault "the file that was made has holes of $holes sectors"
before=$(sum_of "$MOUNT/made")
measured "$MOUNT/made" --ioengine sync -o kept
grep -q ext4 kept/hardware.csv || fault 'hardware.csv does not say ext4'
grep -q '^rounds\|^round' kept/rounds.csv || fault 'rounds.csv has no header'
measured "$MOUNT/made" --ioengine uring --iodepth 32
measured "$MOUNT/made" --iodepth 8 --numjobs 2 --rw read --bs 64k
measured "$MOUNT/made" --direct 0
[ "$(sum_of "$MOUNT/made")" = "$before" ] || fault 'reading changed the file'

# Writing to it needs no permission, because cupel made it, and keeps the mark, so that it can be written again.
measured "$MOUNT/made" --rw randwrite
[ "$(sum_of "$MOUNT/made")" != "$before" ] || fault 'randwrite wrote nothing'
measured "$MOUNT/made" --rw randrw --rwmixread 70 --iodepth 16 --ioengine uring
measured "$MOUNT/made" --rw write --bs 1m --ioengine sync

# A file that cupel did not make.
head -c 8388608 /dev/urandom >"$MOUNT/theirs"
before=$(sum_of "$MOUNT/theirs")
for rw in randwrite write randrw rw; do
    refused 3 --overwrite run "$MOUNT/theirs" --rw $rw
done
measured "$MOUNT/theirs"
measured "$MOUNT/theirs" --destroy # has no meaning for a file, and is no permission to write
[ "$(sum_of "$MOUNT/theirs")" = "$before" ] || fault 'a refusal or a read changed the file'
measured "$MOUNT/theirs" --rw write --overwrite --bs 64k
[ "$(sum_of "$MOUNT/theirs")" != "$before" ] || fault '--overwrite wrote nothing'
[ "$(stat -c %s "$MOUNT/theirs")" -eq 8388608 ] || fault 'writing changed the size of the file'

# Only the region is written.
head -c 8388608 /dev/urandom >"$MOUNT/theirs"
cp "$MOUNT/theirs" part
measured "$MOUNT/theirs" --rw write --overwrite --bs 64k --offset 2m --size 4m
cmp -s -n 2097152 "$MOUNT/theirs" part || fault 'something before --offset was written'
cmp -s -n 2097152 -i 6291456 "$MOUNT/theirs" part || fault 'something behind the region was written'
cmp -s -n 65536 -i 2097152 "$MOUNT/theirs" part && fault 'the region was not written'

# In a folder, a scratch file is used and removed.
rm -f "$MOUNT/made" "$MOUNT/theirs"
measured "$MOUNT" --size 8m --rw randrw --iodepth 4
[ "$(ls "$MOUNT")" = lost+found ] || fault "left in the folder: $(ls "$MOUNT")"
finish
