#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Disks that fill up: while a file is made, while a file of holes is written, and while the record is written.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
mount_ext4 16M

# While the file is filled: nothing was measured, and no file is left.
refused 4 "$MOUNT" run "$MOUNT" --size 64m
refused 4 "$MOUNT/made" run "$MOUNT/made" --size 64m
[ "$(ls "$MOUNT")" = lost+found ] || fault "left after a full disk: $(ls -l "$MOUNT")"
refused 4 "$MOUNT" run "$MOUNT" --size 64m -o kept
[ ! -e kept ] || fault "a folder was kept of nothing: $(ls kept)"

# While holes are written: earlier measurements are reported.
truncate -s 64M "$MOUNT/sparse"
start holes run "$MOUNT/sparse" --rw randwrite --overwrite --allow-unwritten --ci 0.01% --limit 30s --overhead 0 \
    --format csv -o holes.kept
ended 4 holes
holds err 'No space left'
holds out metric,op,unit
is_true "$(metric_of errors value) >= 1"
is_true "$(metric_of elapsed value) > 0"
status 4 report holes.kept/record.cupel --format csv
cmp -s out holes.out || fault 'the record of a failed session gives another result'
rm "$MOUNT/sparse"

# While the record is written: the session continues and says that its record ends early.
dd if=/dev/zero of="$MOUNT/rest" bs=4k 2>/dev/null
truncate -s -262144 "$MOUNT/rest"
start record run --ioengine null --null-script 'exp:20us' --iodepth 16 --ci 0.01% --limit 8s --overhead 0 \
    --format csv -o "$MOUNT/kept"
wait "$WATCHDOG"
got=$?
cp record.out out
cp record.err err
case $got in
4 | 5) ;;
*) fault "a record on a full disk: exit status $got: $(cat err)" ;;
esac
holds out metric,op,unit
is_true "$(metric_of iops value) > 100"
[ "$(grep -c "^cupel[ :]" err)" -eq 1 ] || fault "the error is not one line: $(cat err)"
if [ -s "$MOUNT/kept/record.cupel" ]; then
    limited report "$MOUNT/kept/record.cupel" --format csv >out 2>err
    got=$?
    [ $got -eq 5 ] || [ $got -eq 2 ] || fault "report of a record on a full disk: $got: $(cat err)"
fi
finish
