#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel sweep --resume: if the target was exchanged since the sweep was stopped, not one byte of it is written, unless the
# user says that it is the same file or device. The original target is written.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

# plan TARGET: writes a plan of six runs.
plan() {
    printf 'target: %s\nrw: randwrite\nruntime: 0.3\nallow-unwritten: on\nfactor bs: 4k 8k\nrepeats: 3\n' "$1" >plan.txt
}
runs_of() {
    grep -cs '^run,' "$1/sweep.log" || [ -e "$1/sweep.log" ] || echo 0
}
# begun FOLDER PERMISSION: starts the sweep and stops it after its first run.
begun() {
    start begun sweep plan.txt -o "$1" "$2"
    until [ "$(runs_of "$1")" -gt 0 ] || ! kill -0 "$SESSION" 2>/dev/null; do
        sleep 0.02
    done
    kill -INT "$SESSION"
    wait "$WATCHDOG"
    got=$?
    [ $got -eq 5 ] || fault "a sweep that is stopped ends with $got: $(cat begun.err)"
    { [ "$(runs_of "$1")" -ge 1 ] && [ "$(runs_of "$1")" -lt 6 ]; } || fault "not some runs: $(cat "$1/sweep.log")"
}

# ---- a file
head -c 8388608 /dev/urandom >file
cp file other
cp file copy
plan "$FOLDER/file"
begun files --overwrite
grep -q '^target,file ' files/sweep.log || fault 'the log does not say what the target is'
mv file first
mv other file
refused 3 'it is not the file or device that the sweep was begun on' sweep plan.txt -o files --resume --overwrite
cmp -s file copy || fault 'a file was written that took the place of the target'
rm file
cp copy file
refused 3 'it is not the file or device' sweep plan.txt -o files --resume --overwrite
ln -sf copy link
rm file
ln -s copy file
refused 3 'it is not the file or device' sweep plan.txt -o files --resume --overwrite
rm file
mv first file
status 0 sweep plan.txt -o files --resume --overwrite
[ "$(runs_of files)" -eq 6 ] || fault 'the file that the sweep was begun on was not gone on with'

# The user says that it is the same file.
begun again --overwrite
cp file moved
mv moved file
status 0 sweep plan.txt -o again --resume --overwrite --same-target

# ---- a device without a serial number is recognised by the file below it
truncate -s 16M disk
truncate -s 16M foreign
attach disk
plan "$LOOP"
begun device --destroy
detach "$LOOP"
losetup "$LOOP" foreign 2>err || skip "no loop device: $(cat err)"
sum_of foreign >before
refused 3 'it is not the file or device' sweep plan.txt -o device --resume --destroy
sum_of foreign | cmp -s - before || fault 'a disk was written that took the place of the target'
detach "$LOOP"
losetup "$LOOP" disk 2>err || skip "no loop device: $(cat err)"
status 0 sweep plan.txt -o device --resume --destroy

# ---- a log without the line on the target, as older versions wrote it
begun older --destroy
grep -v '^target,' older/sweep.log >log && mv log older/sweep.log
refused 3 'nothing shows that it is what the sweep was begun on' sweep plan.txt -o older --resume --destroy
finish
