#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Before the verdict, cupel writes data in memory out to the disk, which takes long on a slow disk. A signal ends that, and
# the report says that the outcome of these writes is unknown.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs mkfs.ext4 mount umount

truncate -s 192M "$FOLDER/disk"
attach "$FOLDER/disk"
number=$(cat "/sys/block/${LOOP#/dev/}/dev")
mkfs.ext4 -q -F "$LOOP" 2>err || skip "no ext4: $(cat err)"
mkdir "$FOLDER/slow"
mount "$LOOP" "$FOLDER/slow" 2>err || skip "cannot mount: $(cat err)"
# shellcheck disable=SC2034 # undo takes it
mounts="$FOLDER/slow"

# slow BYTES: limits the writes to the disk per second; 0 removes the limit.
throttle=/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device
[ -w "$throttle" ] || skip 'no disk can be slowed down here (blkio.throttle)'
slow() {
    echo "$number $1" >"$throttle"
}
ended() {
    status=$?
    slow 0 2>err
    (exit $status)
    undo
}
trap ended EXIT
slow 1500000 2>err || skip "no disk can be slowed down: $(cat err)"

# 96 MiB in memory, which take a minute to write out.
set -- run "$FOLDER/slow/file" --direct 0 --rw write --bs 1m --size 96m --overhead 0
slow 0
limited "$@" --runtime 0.2s >out 2>err || fault "the file is not made: $(cat err)"
slow 1500000
"$CUPEL" "$@" --overwrite --runtime 0.5s >out 2>err </dev/null &
session=$!
sleep 4
kill -INT $session
waited=0
while kill -0 $session 2>/dev/null && [ $waited -lt 150 ]; do
    sleep 0.1
    waited=$((waited + 1))
done
slow 0
wait $session
got=$?
[ $waited -lt 150 ] || fault 'a signal does not end the writing out'
[ $got -eq 5 ] || fault "exit status $got instead of 5: $(cat err)"
tr -s ' \n' ' ' <out >flat
grep -q 'in memory, and was not waited for' flat || fault "the report does not say so: $(cat out)"

# Without a signal all writes are waited for.
limited "$@" --overwrite --runtime 0.3s >out 2>err || fault "$(cat err)"
! grep -q 'not waited for' out || fault 'a session that was not stopped says that it was'
finish
