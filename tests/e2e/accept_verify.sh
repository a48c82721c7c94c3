#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The data of preconditioning is read back, in the same call and in one after a power cycle: every damaged sector is reported
# with its kind and place. Reading back writes nothing, needs the journal, and refuses another drive.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs losetup

sectors=327680 # of 512 bytes

# sector FROM TO [COUNT]: copies sectors within the file below the loop device.
sector() {
    dd if=disk of=disk bs=512 skip="$1" seek="$2" count="${3:-1}" conv=notrunc status=none
}

# byte OFFSET OCTAL: sets one byte of the disk.
byte() {
    printf '%b' "\\0$2" | dd of=disk bs=1 seek="$1" conv=notrunc status=none
}

# verify STATUS [ARGUMENT...]: reads back from the medium, without the page cache.
verify() {
    expected=$1
    shift
    sync
    blockdev --flushbufs "$LOOP"
    status=0
    "$CUPEL" accept "$LOOP" --verify -o state --full "$@" >out 2>err || status=$?
    [ $status = "$expected" ] || fault "--verify: status $status, expected $expected: $(cat out err)"
}

# shows WORDS: the report contains them, wherever its lines are broken.
shows() {
    tr -s ' \n' '  ' <out | grep -q -e "$1" || fault "the report does not have '$1': $(cat out)"
}

truncate -s $((sectors * 512)) disk
attach disk
"$CUPEL" accept "$LOOP" --destroy -o state --full >out 2>err || fault "$(cat out err)"
shows '160 MiB read back as written, bit for bit;'
shows 'less than one wrong or unreadable bit in 4.5e+08'
before=$(sum_of disk)

shows 'it does not wrap around, and 1088 samples, the last block among them, hold what was written'
verify 0
shows 'bit for bit'
verify 0 --verify-share 1%
shows '128 MiB read back as written, bit for bit; a sample of 1024 blocks: less than 0.29 % of all blocks are wrong'
[ "$(sum_of disk)" = "$before" ] || fault 'reading back has written'

# Every kind of damage at a place of its own; the wrong data comes from the disk itself.
cp disk whole
byte $((1000 * 512 + 77)) 1
byte $((1000 * 512 + 80)) 2
byte $((1000 * 512 + 80)) 3
sector 3000 2000 8
dd if=/dev/zero of=disk bs=512 seek=5000 count=4 conv=notrunc status=none
dd if=disk of=disk bs=256 skip=14001 seek=12001 count=1 conv=notrunc status=none
dd if=/dev/zero of=disk bs=64 seek=$((9000 * 8 + 5)) count=2 conv=notrunc status=none
cp disk damaged
verify 4
shows '2 sectors corrupt, [0-9]* bits flipped: LBA 1000'
shows '8 sectors misdirected: they hold what was written to other LBAs: LBA 2000-2007'
shows '4 sectors empty (all zeros or ones), though they were written: LBA 5000-5003'
shows '1 sector torn: put together of several writes: LBA 6000'
grep -q ' wrong lba=2000 sectors=8 kind=misdirected bits=0 distance=1000 generation=2$' state/accept.state ||
    fault "the journal does not have the misdirected ones: $(grep wrong state/accept.state)"
cmp -s disk damaged || fault 'reading back has written'
cp --sparse=never whole disk
verify 4 # a second call finds the same damage
shows 'bit for bit'

# Unreadable sectors are not reported as wrong data: the loop device's file has lost its second half.
truncate -s $((sectors * 256)) disk
verify 4
shows '163840 sectors unreadable, [^:]*: LBA 163840-327679'
truncate -s $((sectors * 512)) disk

# Killed in the middle of the second pass: sectors that were not flushed may have the older data, but no others.
rm -rf state
"$CUPEL" accept "$LOOP" --destroy --passes 60 -o state >out 2>err &
writer=$!
for _ in $(seq 300); do
    grep -q ' written generation=[2-9]' state/accept.state 2>err && break
    sleep 0.05
done
kill -KILL $writer
wait $writer
verify 5
grep -q ' verified .* corrupt=0 misdirected=0 stale=0 torn=0 wrapped=0 foreign=0 zeros=0 unreadable=0 ' state/accept.state ||
    fault "faults after kill -9: $(grep -e verified -e wrong state/accept.state)"

# A drive that wraps at half its size: writes to the second half land at its beginning.
rm -rf state
"$CUPEL" accept "$LOOP" --destroy --passes 1 --stages precondition -o state >out 2>err || fault "$(cat out err)"
sector $((sectors / 2)) 0 $((sectors / 2))
verify 4
shows 'its capacity is fake: it wraps around at LBA 163840, 80 MiB'
shows '163840 sectors wrapped around'

# Refused: no journal, invalid options, another drive.
refused 2 'nowhere' accept "$LOOP" --verify -o nowhere
refused 2 'writes nothing' accept "$LOOP" --verify --destroy -o state
refused 2 'between' accept "$LOOP" --verify --verify-share 0 -o state
before=$(sum_of disk)
truncate -s 32M other
first=$LOOP
attach other
refused 3 'other disks' accept "$LOOP" --verify -o state
losetup -d "$first"
[ "$(sum_of disk)" = "$before" ] || fault 'a refused verification has written'
finish
