#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Several devices at the same time: all are measured and written; one that fails in the middle ends alone; none is written
# unless all may be; two names of one disk are refused.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs losetup

for i in 1 2 3; do
    head -c 33554432 /dev/urandom >disk$i
    attach disk$i
    eval "disk$i=$LOOP"
done
# shellcheck disable=SC2154 # eval
all="$disk1 $disk2 $disk3"
names() { for disk in $all; do basename "$disk"; done; }

# ---- read, then written
# shellcheck disable=SC2086 # several words
longer 0 run $all --runtime 1s --iodepth 4 -o read
holds out 'DONE: 3 targets'
for name in $(names); do
    [ -s "read/$name/record.cupel" ] || fault "there is no record of $name"
    grep -q "^$name " out || fault "there is no line of $name"
done
before=$(cat disk1 disk2 disk3 | sha256sum)
# shellcheck disable=SC2086
longer 0 run $all --rw randwrite --destroy --runtime 1s --iodepth 4
[ "$(cat disk1 disk2 disk3 | sha256sum)" != "$before" ] || fault 'nothing was written'

# ---- one may not be written, so none is
before=$(cat disk1 disk2 disk3 | sha256sum)
# shellcheck disable=SC2086
status 3 run $all --rw randwrite --runtime 1s
mkfs.ext4 -q -F "$disk3" 2>err || skip "no ext4: $(cat err)"
sync
before=$(cat disk1 disk2 disk3 | sha256sum)
mkdir mounted
mount -o ro "$disk3" mounted || skip 'nothing can be mounted'

# shellcheck disable=SC2086
status 3 run $all --rw randwrite --destroy --runtime 1s -o none
holds err mounted
[ ! -e none ] || fault 'a run that was refused left its folder'
umount mounted || fault "it stays mounted"
[ "$(cat disk1 disk2 disk3 | sha256sum)" = "$before" ] || fault 'something was written'
# shellcheck disable=SC2086
status 3 run "$disk1" "$disk2" --rw randwrite --destroy-serial A,B --runtime 1s
holds err serial
[ "$(cat disk1 disk2 disk3 | sha256sum)" = "$before" ] || fault 'something was written without its serial number'

# ---- two names of one disk
ln -s "$disk1" link
status 2 run "$disk1" link --runtime 1s
holds err 'two names of one disk'
status 3 run "$disk1" link --rw write --destroy --runtime 1s
attach "$disk1"
status 2 run "$disk1" "$LOOP" --runtime 1s
holds err 'nothing was measured'
status 3 run "$LOOP" "$disk1" --rw write --destroy --runtime 1s
losetup -d "$LOOP"

# ---- one fails in the middle: it is named, and the others are measured to their end
# shellcheck disable=SC2086
start cut run $all --allow-unwritten --runtime 15s --limit 40s --format csv -o cut.kept
sleep 6 # the preparation and a part of the measurement
truncate -s 4096 disk2
wait "$WATCHDOG"
got=$?
[ $got -eq 4 ] || fault "exit status $got instead of 4: $(cat cut.err)"
tail -n 1 cut.err | grep -q "$(basename "$disk2"): " || fault "the failed one is not named: $(tail -n 1 cut.err)"
cp cut.out out
for disk in "$disk1" "$disk3"; do
    awk -F, -v t="$disk" '$1 == "iops" && $13 == t { exit !($4 > 10) }' out || fault "$disk has no result"
done
status 4 report cut.kept
holds out 'FAILED: 3 targets'
holds out "$(basename "$disk2"): "
status 0 report "cut.kept/$(basename "$disk1")"
holds out MEASURED
status 0 report "cut.kept/$(basename "$disk3")" --full
holds out 'without its load'
finish
