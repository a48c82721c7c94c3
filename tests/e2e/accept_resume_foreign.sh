#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel accept --resume: when somebody has used the disk since the work was cut off, not one byte of it is written. A disk
# whose work is finished is left alone, whatever it contains now.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

truncate -s 256M disk
attach disk
timeout -s INT 2 "$CUPEL" accept "$LOOP" --destroy -o kept --passes 100 >out 2>err </dev/null
got=$?
[ $got -eq 5 ] || [ $got -eq 124 ] || fault "an acceptance that was stopped ends with $got: $(cat err)"
grep -q ' written generation=[2-9]' kept/accept.state || skip 'the disk is too slow for a whole pass within 2 s'

# unchanged WORDS: --resume is refused, and the disk is unchanged.
unchanged() {
    sync "$LOOP"
    before=$(sha256sum <disk)
    refused 3 "$1" accept --resume kept --destroy
    sync "$LOOP"
    [ "$before" = "$(sha256sum <disk)" ] || fault "the disk was written: $1"
}
cp disk ours
printf 'a partition table' | dd of="$LOOP" bs=512 seek=1 conv=notrunc,sync oflag=direct status=none
unchanged 'written to it since this acceptance did, at byte 0'
dd if=ours of="$LOOP" bs=1M oflag=direct status=none
head -c 512 /dev/urandom | dd of="$LOOP" bs=512 seek=$((256 * 2048 - 1)) oflag=direct status=none
unchanged 'at byte 268431360'
if command -v mkfs.ext4 >mkfs; then
    mkfs.ext4 -q -F "$LOOP" >mkfs 2>&1
    unchanged 'somebody has written to it'
fi

# A disk with cupel's own data and zeros is resumed.
dd if=ours of="$LOOP" bs=1M oflag=direct status=none
dd if=/dev/zero of="$LOOP" bs=4k seek=100 count=64 oflag=direct status=none
timeout -s INT 2 "$CUPEL" accept --resume kept --destroy >out 2>err </dev/null
got=$?
[ $got -eq 5 ] || [ $got -eq 124 ] || fault "a resumption that was stopped ends with $got: $(cat err)"

# Another disk of the same size under the same name, when the journal only says that the capacity is being checked.
cut_off() {
    start "$1" accept "$2" --destroy -o "$1"
    for _ in $(seq 500); do
        ! grep -qs ' probe ' "$1/accept.state" || break
        sleep 0.01
    done
    kill -KILL "$SESSION" 2>/dev/null
    wait "$WATCHDOG"
    sed '/ probe /q' "$1/accept.state" >shortened
    cp shortened "$1/accept.state"
}
# foreign NAME WORDS: the exchanged disk is refused, and not one byte of it is written.
foreign() {
    sync "$LOOP"
    before=$(sha256sum <other)
    refused 3 "$2" accept --resume "$1" --destroy
    sync "$LOOP"
    [ "$before" = "$(sha256sum <other)" ] || fault "another disk of the same size was written: $2"
}
truncate -s 256M other
cut_off early "$LOOP"
detach "$LOOP"
losetup "$LOOP" other 2>err || skip "no loop device: $(cat err)"
foreign early 'it is another one than the work was begun on'
detach "$LOOP"
losetup "$LOOP" disk 2>err || skip "no loop device: $(cat err)"
longer '0 5' accept --resume early --destroy

# A disk about which the kernel knows nothing is recognised by the data that this acceptance wrote.
if command -v dmsetup >/dev/null && dmsetup create "cupel-same-$$" --table "0 524288 linear $LOOP 0" 2>err; then
    mapped="cupel-same-$$"
    below=$LOOP
    cut_off mapped "/dev/mapper/$mapped"
    longer '0 5' accept --resume mapped --destroy
    cut_off again "/dev/mapper/$mapped"
    attach other
    dmsetup reload "$mapped" --table "0 524288 linear $LOOP 0"
    dmsetup suspend "$mapped"
    dmsetup resume "$mapped"
    foreign again 'nothing shows that it is the disk'
    longer '0 5' accept --resume again --destroy --same-target
    dmsetup remove "$mapped" && mapped=''
    detach "$LOOP"
    LOOP=$below
fi

# A disk whose work is finished.
status 0 accept "$LOOP" --destroy -o over --passes 1
head -c 1048576 /dev/urandom | dd of="$LOOP" bs=1M oflag=direct status=none
sync "$LOOP"
before=$(sha256sum <disk)
status 0 accept --resume over --destroy
sync "$LOOP"
[ "$before" = "$(sha256sum <disk)" ] || fault 'a disk whose acceptance was over was written'
finish
