#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel qualify --together on loop devices, whose shared parts are unknown: a single disk, one disk under two names, a disk
# that disappears while all are measured, an end by a signal.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

# over EXPECTED NAME: waits for the session, whose progress is on standard error.
over() {
    wait "$WATCHDOG"
    got=$?
    cp "$2.out" out
    [ $got -eq "$1" ] || fault "$2: exit status $got instead of $1: $(cat "$2.err")"
}

for name in first second third; do
    head -c 33554432 /dev/urandom >$name
    attach $name
    eval "$name=\$LOOP"
done
# shellcheck disable=SC2154 # by eval
ln -s "$first" other-name

refused 2 '--together and --sla exclude each other' qualify --together "$first" --sla 'p99<1s'
refused 2 '--together and --destroy-serial exclude each other' qualify --together "$first" --destroy-serial X
for names in "$first" "$first ./other-name"; do
    # shellcheck disable=SC2086 # names are words
    status 0 qualify --together $names
    holds err 'together one disk: there is no other to compare it with'
done

# In the second round one disk fails, because the file behind it is cut off; the others continue without it.
# shellcheck disable=SC2154
start vanished qualify --together "$first" "$second" "$third" --limit 2s --format csv
sleep 4
truncate -s 4096 third
over 1 vanished
grep -q "^check,${third#/dev/},.*,together,fail,.*measured no more: " out || fault "no failure in $(cat out)"
for disk in "$first" "$second"; do
    ! grep -q "^check,${disk#/dev/},.*,together,fail," out || fault "$disk failed, too: $(cat out)"
    grep -q "^measurement,${disk#/dev/},.*,read together over alone," out || fault "no ratio of $disk in $(cat out)"
done

start stopped qualify --together "$first" "$second" --limit 60s --format csv
sleep 3
kill -INT "$SESSION"
over 5 stopped
holds out ',interrupted,undecided,'
finish
