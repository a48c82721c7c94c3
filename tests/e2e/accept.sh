#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel accept on loop devices: nothing is written without permission, to a disk in use, or under a second name of it; the
# result and its files; the answer to a state of another disk, of a disk of another size, and to a damaged state; a full
# folder.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

head -c 33554432 /dev/urandom >disk
attach disk
before=$(sum_of disk)

# Without permission nothing is written.
refused 2 'DISK is missing' accept
refused 2 '-o DIR is missing' accept "$LOOP" --destroy
refused 2 'there is no such stage; there are' accept "$LOOP" --destroy -o kept --stages precondition,polish
refused 2 '--stages' accept "$LOOP" --destroy -o kept --stages ''
refused 2 'between 1 and 100' accept "$LOOP" --destroy -o kept --passes 0
refused 2 'there is no such disk' accept /dev/no-such-disk --destroy -o kept
refused 2 'it is no disk' accept ./disk --destroy -o kept
refused 2 '--resume and --dry-run exclude each other' accept --resume kept --dry-run
refused 2 'No such file' accept --resume kept
refused 3 'it has no serial number that could be given' accept "$LOOP" -o kept
refused 3 '--destroy' accept "$LOOP" --destroy-serial LOOP -o kept
status 0 accept "$LOOP" --dry-run
holds out 'nothing was written'
holds out 'about'
[ ! -e kept ] || fault 'a refusal made the folder'
[ "$(sum_of disk)" = "$before" ] || fault 'a refusal or a plan changed the disk'

# One drive under two names; a drive in use, under any of its names.
mknod other b "$(stat -c %Hr "$LOOP" 2>/dev/null || echo 7)" "$(stat -c %Lr "$LOOP" 2>/dev/null || echo "${LOOP#/dev/loop}")"
refused 3 'two names of one drive' accept "$LOOP" ./other --destroy -o kept
whole=$LOOP
mount_ext4 32M
echo precious >"$MOUNT/precious"
sync "$MOUNT"
refused 3 "$MOUNT" accept "$LOOP" --destroy -o kept
refused 3 "$MOUNT" accept "$whole" "$LOOP" --destroy -o kept
status 0 accept "$LOOP" --dry-run
holds out 'refused'
[ "$(cat "$MOUNT/precious")" = precious ] || fault 'a mounted filesystem was written to'
[ "$(sum_of disk)" = "$before" ] || fault 'a refusal of one of two disks changed the other'
[ ! -e kept ] || fault 'a refusal made the folder'

# With permission: all of the disk is written; the result in every format, and again by cupel report.
status 0 accept "$whole" --destroy -o kept
[ "$(head -n 1 out | cut -d ' ' -f 1)" = accepted ] || fault "the first word is $(head -n 1 out)"
holds out '64 MiB at'
[ "$(wc -l <out)" -le 22 ] || fault "the first screen has $(wc -l <out) lines"
for file in accept.state acceptance.txt acceptance.csv acceptance.json report.html; do
    [ -s "kept/$file" ] || fault "there is no $file"
done
sync "$whole"
twice=$(alike disk)
[ "$twice" -eq 0 ] || fault "$twice sectors were written twice alike"
sum_of disk | grep -q "$before" && fault 'nothing was written'
status 0 report kept
holds out accepted
for format in csv json html; do
    status 0 report kept --format $format
done
status 0 report kept --format csv
awk -F, '$1 == "throughput" { sum = $9 } END { exit sum != 67108864 }' out || fault 'the throughput does not end at 64 MiB'
refused 2 'no such form' report kept --format fio-json

# When the work is done, the same command again writes nothing.
sum_of disk >first
status 0 accept "$whole" --destroy -o kept
status 0 accept --resume kept --destroy
sum_of disk | cmp -s - first || fault 'what was done was done again'
refused 3 'it has no serial number' accept --resume kept
refused 3 'of other disks' accept "$LOOP" --destroy -o kept

# A drive of another size under the same name; a damaged state; an existing folder.
cp -r kept larger
losetup -d "$whole"
truncate -s 48M disk
losetup "$whole" disk 2>err || skip "the loop device was taken: $(cat err)"
sum_of disk >first
refused 3 'when the work began; nothing was written' accept --resume larger --destroy
sed -i 's/passes=2/passes=9/' larger/accept.state
refused 2 'is damaged' accept --resume larger --destroy
refused 2 'is damaged' report larger
mkdir empty
refused 2 'empty' report empty
sum_of disk | cmp -s - first || fault 'a refusal changed the disk'

# A full folder: the drive is left as the state says, and the work continues when there is room.
mkdir full
mount -t tmpfs -o size=40k tmpfs full 2>err || skip "cannot mount: $(cat err)"
mounts="$FOLDER/full $mounts"
head -c 28672 /dev/zero >full/filler
limited accept "$whole" --destroy -o full/kept --passes 40 >out 2>err
got=$?
[ $got -eq 4 ] || fault "a full folder: exit status $got instead of 4"
holds err 'make room'
rm full/filler
limited accept "$whole" --destroy -o full/kept --passes 40 >out 2>err
got=$?
grep -q 'accepted' out || [ $got -eq 4 ] || fault "with room: exit status $got, $(cat err)"

# A drive that becomes read-only during the work has failed. When it is writable again, the work continues until a signal
# comes.
losetup -d "$whole"
truncate -s 64M disk
attach disk
start fixed accept "$LOOP" --destroy -o fixed --passes 100
waited=0
until [ "$(wc -l <fixed.err)" -ge 2 ] || [ $waited -ge 600 ]; do # past the check of its capacity
    sleep 0.1
    waited=$((waited + 1))
done
sleep 0.5
blockdev --setro "$LOOP" 2>err || skip "no blockdev: $(cat err)"
wait "$WATCHDOG"
got=$?
blockdev --setrw "$LOOP"
case $got in
4)
    holds fixed.err 'the drive has become read-only'
    [ "$(head -n 1 fixed.out | cut -d ' ' -f 1)" = FAILED ] || fault "a read-only drive: $(head -n 1 fixed.out)"
    ;;
0) ;; # it was finished by then
*) fault "a read-only drive: exit status $got: $(cat fixed.err)" ;;
esac
# The same during the check of its capacity.
truncate -s 2G large
large=$(losetup --find --show large 2>err) || skip "no loop device: $(cat err)"
loops="$large $loops"
start probed accept "$large" --destroy -o probed --stages capacity
until grep -qs ' probe salt=' probed/accept.state || ! kill -0 "$SESSION" 2>/dev/null; do
    sleep 0.01
done
kill -STOP "$SESSION"
blockdev --setro "$large"
kill -CONT "$SESSION"
wait "$WATCHDOG"
got=$?
blockdev --setrw "$large"
case $got in
4) holds probed.err 'the drive has become read-only' ;;
0) ;; # it was finished by then
*) fault "a read-only drive whose capacity is looked at: exit status $got: $(cat probed.err)" ;;
esac
detach "$large"
rm large
before=$(wc -l <fixed/accept.state)
start fixed accept --resume fixed --destroy
for _ in $(seq 300); do
    [ "$(wc -l <fixed/accept.state)" -le "$before" ] || break
    sleep 0.05
done
kill -TERM "$SESSION" 2>/dev/null
wait "$WATCHDOG" 2>/dev/null
limited report fixed >out 2>err
got=$?
[ $got -eq 5 ] || [ $got -eq 0 ] || fault "taken up again and stopped: exit status $got instead of 5: $(cat err)"
finish
