#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The history of a device: nothing is written to the measured device (even while it is mounted and only read) or to a
# filesystem on it. The device is recognised under another name. A filesystem without room, or a read-only one, does not end a
# session.
set -u
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs mkfs.ext4
own_folders

unset CUPEL_NO_HISTORY
quick='--runtime 0.5s --overhead 0 --monitor-cost 0 --allow-unwritten --full'

# measure: a session that reads the device.
measure() {
    # shellcheck disable=SC2086 # several options
    longer 0 run "$LOOP" $quick
}

head -c 32m /dev/urandom >disk
attach "$PWD/disk"
mkfs.ext4 -q -F "$LOOP" || skip 'no filesystem can be made'
mkdir on there
mounts="$PWD/on"
mount "$LOOP" on || skip 'it cannot be mounted'
export XDG_STATE_HOME="$PWD/on/state"
measure
grep -q 'no:' out || fault 'it does not say that nothing is kept'
[ ! -e on/state ] || fault 'the history lies on the device that is measured'

# Nor to what is stored on the device: a filesystem in a file there (measuring that file does not write its history there,
# either); an overlay whose upper folder cannot be seen; the root folder, if the whole path is missing.
device=$LOOP
kept_nowhere() {
    measure
    grep -q 'lies on what is' out || fault "$1: it does not say that nothing is kept"
    [ -z "$(find on inner over -name '*cupel*')" ] || fault "$1: the history lies on what is measured"
}
mkdir inner over upper
truncate -s 8m on/file
attach "$PWD/on/file"
inner=$LOOP
mkfs.ext4 -q -F "$inner" || skip 'no filesystem in a file'
mount "$inner" inner || skip 'it cannot be mounted'
mounts="$PWD/inner $mounts"
export XDG_STATE_HOME="$PWD/inner/state"
LOOP=$device kept_nowhere 'a filesystem in a file'
LOOP=$PWD/on/file kept_nowhere 'a file that holds a filesystem'
umount inner
mkdir on/upper on/work
if mount -t overlay -o lowerdir=upper,upperdir=on/upper,workdir=on/work none over 2>err; then
    mounts="$PWD/over $mounts"
    export XDG_STATE_HOME="$PWD/over/state"
    LOOP=$device kept_nowhere 'an overlay'
    LOOP=$inner measure
    ! grep -q 'lies on what is' out || fault 'a device that nobody uses holds no overlay'
    umount over
fi
if is_static; then
    mkdir on/dev on/proc on/sys
    cp "$CUPEL" on/program
    for folder in dev proc sys; do
        mount --bind "/$folder" "on/$folder" || skip 'no bind mount'
        mounts="$PWD/on/$folder $mounts"
    done
    # shellcheck disable=SC2086
    XDG_STATE_HOME=/state timeout -s KILL 200 chroot on /program run "$device" $quick >out 2>err </dev/null
    grep -q 'lies on what is' out || fault 'the root folder: it does not say that nothing is kept'
    [ ! -e on/state ] || fault 'the root folder: the history lies on what is measured'
    umount on/dev on/proc on/sys
fi
losetup -d "$inner"
LOOP=$device
umount on
mounts=''

# In another place the history is kept, and a link counts as the same device.
export XDG_STATE_HOME="$PWD/there"
measure
ln -s "$LOOP" link
LOOP=$PWD/link measure
grep -q 'session before' out || fault 'the device is another one under another name'
[ "$(cat there/cupel/*.history | wc -l)" -eq 3 ] || fault "two sessions are $(cat there/cupel/*.history | wc -l) lines"

# A filesystem without room, then a read-only one.
mkdir small
# shellcheck disable=SC2034 # of undo
mounts="$PWD/small"
mount -t tmpfs -o size=16k none small || skip 'no tmpfs can be mounted'
export XDG_STATE_HOME="$PWD/small"
head -c 64k /dev/zero >small/full 2>/dev/null
measure
grep -q 'is not in the history' out || fault 'it does not say that the session is not kept'
[ -z "$(find small/cupel -type f 2>/dev/null)" ] || fault 'a file without a head was left'
rm small/full
measure
mount -o remount,ro small
measure
grep -q 'is not in the history' out || fault 'it does not say that the filesystem is read-only'
grep -q 'session before' out || fault 'a history that can only be read is not read'
finish
