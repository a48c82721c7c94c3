#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Damaged records are refused with one line or reported up to the damage, and never crash cupel.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

limited run --ioengine null --null-script const:300us --preset quick --min-time 0.5s --limit 2s --overhead 0 -o kept \
    >/dev/null 2>err
[ -s kept/record.cupel ] || fault "there is no record: $(cat err)"
size=$(wc -c <kept/record.cupel)

: >empty
refused 2 empty report empty
head -c 4096 /dev/urandom >noise
refused 2 noise report noise
echo 'no record, but text' >text
refused 2 text report text
refused 2 "$FOLDER" report "$FOLDER"

# read_some FILE: cupel report either reports the record or refuses it with one line.
read_some() {
    limited report "$1" --format csv >out 2>err
    got=$?
    case $got in
    0 | 5) holds out metric,op,unit ;;
    2) [ "$(wc -l <err)" -eq 1 ] || fault "$1: the error is not one line" ;;
    *) fault "$1: exit status $got: $(cat err)" ;;
    esac
}

# A record that is cut off is reported as far as it is complete, and the result is not called precise.
for percent in 1 10 30 50 70 90 99; do
    head -c $((size * percent / 100)) kept/record.cupel >shortened
    read_some shortened
    [ $got -ne 0 ] || fault "a record cut off at $percent % is called precise"
done

# An endless device is refused by its first bytes, not after gigabytes were read.
timeout -s KILL 4 "$CUPEL" report /dev/zero >out 2>err
got=$?
[ $got -eq 2 ] || fault "a record without an end: exit status $got instead of 2"
holds err 'not a cupel record'

# One byte changed: the checksum detects it, later chunks are reported, and the verdict says so. If the byte is in the head,
# the record is refused.
for permille in 0 1 50 200 400 600 800 990; do
    at=$(((size - 1) * permille / 1000))
    cp kept/record.cupel changed
    byte=$(od -An -tu1 -j $at -N 1 changed | tr -d ' ')
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf %03o $((byte ^ 255)))" | dd of=changed bs=1 seek=$at conv=notrunc 2>/dev/null
    read_some changed
    [ $got -ne 0 ] || fault "a record changed at byte $at: exit status 0"
    [ $got -ne 2 ] || continue
    limited report changed >out 2>err
    grep -qE '^(DAMAGED|CUT SHORT): ' out || fault "a record changed at byte $at: the verdict does not say so"
    tr -s '\n ' '  ' <out >words
    grep -qE 'damaged or out of place and were left out|the rest was not used' words || fault "a record changed at byte $at: no warning"
done

# Bytes after the end of the record.
cat kept/record.cupel kept/record.cupel >twice
read_some twice
[ $got -eq 5 ] || fault "a record twice in one file: exit status $got"
limited report twice >out 2>err
holds out 'DAMAGED: '
holds out "follow the record's end"
finish
