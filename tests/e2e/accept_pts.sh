#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The tests of SNIA's PTS on a loop device: shortened tests say so; kill -9 in the middle of a round loses no finished cell;
# PTS-C writes nothing outside its active range; cells smaller than the drive's blocks are left out; a result without a steady
# state has exit status 5.
# Slow: a session for every cell.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

# judged ARGUMENT...: exit status 0 or 5: whether the rounds of a loop device are steady depends on this machine.
judged() {
    timeout -s KILL 150 "$CUPEL" "$@" >out 2>err </dev/null
    got=$?
    case $got in
    0) holds out accepted ;;
    5) holds err 'not steady at' ;;
    *) fault "cupel $*: exit status $got: $(cat err)" ;;
    esac
}

# cells FOLDER TEST: each cell of each round has one line in pts.csv.
cells() {
    awk -F, -v t="$2" '$2 == t { print $5 "," $6 "," $7 }' "$1/pts.csv"
}

head -c 33554432 /dev/urandom >disk
attach disk
tail -c 8388608 "$LOOP" | sha256sum >beyond

# Invalid options: nothing begins.
refused 2 '--hours' accept "$LOOP" --destroy -o never --stages pts-iops --hours 0
refused 2 '--cell-seconds' accept "$LOOP" --destroy -o never --stages pts-iops --cell-seconds 2m
refused 2 '--mode' accept "$LOOP" --destroy -o never --stages pts-iops --mode laptop
refused 2 'pts-hir' accept "$LOOP" --destroy -o never --stages pts-hir
refused 3 '--destroy' accept "$LOOP" -o never --stages pts-iops
[ "$(tail -c 8388608 "$LOOP" | sha256sum)" = "$(cat beyond)" ] || fault 'a refusal changed the device'

# --dry-run states the duration.
status 0 accept "$LOOP" --dry-run --stages precondition,pts-iops,pts-tp,pts-lat,pts-wsat
holds out 'pts-iops'
holds out 'pts-wsat'

# Killed in the middle of a round, then resumed.
start killed accept "$LOOP" --destroy -o kept --stages pts-iops,pts-wsat --mode client --hours 0.02 --cell-seconds 100ms
for _ in $(seq 300); do
    [ "$(grep -c ' pts-sample ' kept/accept.state 2>/dev/null)" != 4 ] || break
    sleep 0.1
done
kill -KILL "$SESSION"
wait "$WATCHDOG" 2>/dev/null
grep ' pts-sample ' kept/accept.state >before
[ "$(wc -l <before)" -ge 4 ] || fault 'it was killed before the second round'
judged accept --resume kept --destroy
grep ' pts-sample ' kept/accept.state | head -n "$(wc -l <before)" | cmp - before || fault 'a finished cell was changed'
cells kept pts-iops | sort | uniq -d >twice
[ ! -s twice ] || fault "measured twice: $(cat twice)"
[ "$(cells kept pts-iops | wc -l)" -eq "$((3 * $(cells kept pts-iops | cut -d, -f1 | sort -nu | tail -n 1)))" ] ||
    fault 'a cell of a round is missing'
for words in 'PTS-C IOPS, reduced: 3 of 56 cells, 0.1 s each, at most' 'active range 24 MiB of' '2 threads with 16 in flight' \
    'by its 95 % intervals' 'write cache' 'not' 'PTS-C write saturation, reduced: ' '4 times the capacity written'; do
    holds kept/acceptance.txt "$words"
done
grep -q '<svg' kept/report.html || fault 'the page has no figure'
[ "$(grep -o '"reduced": *true' kept/acceptance.json | wc -l)" -eq 2 ] || fault 'JSON does not say that both are reduced'
sync "$LOOP"
[ "$(tail -c 8388608 "$LOOP" | sha256sum)" = "$(cat beyond)" ] || fault 'PTS-C wrote beyond its active range'

# When all is done, --resume does nothing.
grep -c ' pts-' kept/accept.state >lines
judged accept --resume kept --destroy
grep -c ' pts-' kept/accept.state | cmp -s - lines || fault 'a finished test was measured again'

# Too short a time is refused before the test writes a byte.
status 2 accept "$LOOP" --destroy -o short --stages pts-iops,pts-tp,pts-lat,pts-wsat --hours 0.01
holds err '--hours'
grep -q ' pts-' short/accept.state && fault 'it began'

# A drive of 4096-byte blocks.
truncate -s 32M large
needs losetup
LARGE=$(losetup --find --show --sector-size 4096 large 2>err) || skip "no loop device with blocks of 4096 bytes: $(cat err)"
loops="$LARGE $loops"
judged accept "$LARGE" --destroy -o blocks --stages pts-lat --hours 0.015 --cell-seconds 100ms
holds blocks/acceptance.json 'of less than 4096 bytes are left out'
cells blocks pts-lat | grep -q ',512$' && fault 'a cell of 512 bytes was measured'

finish
