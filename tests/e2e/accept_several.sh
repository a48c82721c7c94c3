#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel accept on several disks: all write at the same time; tests of the PTS run at the same time or in turn, as requested,
# and the result says which; after kill -9 or a signal the work can continue; a disk that fails is FAILED, and the others are
# accepted.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

for name in a b c; do
    truncate -s 192M $name
    attach $name
    echo "$LOOP" >>names
done
first=$(sed -n 1p names) second=$(sed -n 2p names) third=$(sed -n 3p names)

# grade NUMBER: prints the verdict on that disk in the CSV of `out`.
grade() {
    awk -F, -v n="$1" '$1 == "disk" && ++i == n { print $6 }' out
}

# overlap FOLDER STAGES: prints how many pairs of disks were in a stage that matches the pattern at the same time.
overlap() {
    awk -v stages="stage=($2)" '$4 !~ stages { next }
        $3 == "begin" { for (d in at) if (d != $2) pairs++; at[$2] = 1 }
        $3 == "end" { delete at[$2] }
        END { print pairs + 0 }' "$1/accept.state"
}

# written FILE: no two sectors are equal, so all were stamped.
written() {
    sync "$1"
    twice=$(alike "$1")
    [ "$twice" -eq 0 ] || fault "$1: $twice sectors are alike"
}

# all_write FOLDER COUNT: waits until the journals of COUNT disks say that they have written.
all_write() {
    for _ in $(seq 400); do
        [ "$(awk '$3 == "written" && !seen[$2]++' "$1/accept.state" 2>/dev/null | wc -l)" -lt "$2" ] || break
        sleep 0.1
    done
}

# One drive under two names among others.
mknod other b "$(stat -c %Hr "$second" 2>/dev/null || echo 7)" "$(stat -c %Lr "$second" 2>/dev/null || echo "${second#/dev/loop}")"
refused 3 'two names of one drive' accept "$first" "$second" ./other --destroy -o kept
[ ! -e kept ] || fault 'a refusal made the folder'
status 0 accept "$first" "$second" "$third" --dry-run
holds out '3 disks, written at once'
refused 2 '--at-once' accept "$first" "$second" --destroy -o kept --at-once never

# Killed at random moments, then resumed.
random 0.2 1.2 6 >moments
kills=0
while read -r moment; do
    start work accept "$first" "$second" --destroy -o kept --passes 8
    sleep "$moment"
    kill -KILL "$SESSION" 2>/dev/null && kills=$((kills + 1))
    wait "$WATCHDOG" 2>/dev/null
    [ -s kept/accept.state ] || continue
    limited report kept >out 2>err
    grep -q 'nothing was begun\|no whole line' err && rm -rf kept
done <moments
[ $kills -gt 0 ] || fault 'nothing was killed'
status 0 accept "$first" "$second" --destroy -o kept --passes 8
status 0 report kept --format csv
[ "$(grade 1),$(grade 2)" = accepted,accepted ] || fault "in the end: $(grade 1), $(grade 2)"
[ "$(overlap kept precondition)" -ge 1 ] || fault 'they did not write at the same time'
written a
written b
status 0 accept --resume kept --verify
status 0 report kept --format csv
[ "$(grade 1),$(grade 2)" = accepted,accepted ] || fault "read back alone: $(grade 1), $(grade 2)"
printf 'not what was written' | dd of="$second" bs=512 seek=5000 conv=notrunc 2>err || fault "dd: $(cat err)"
limited accept --resume kept --verify >out 2>err
got=$?
[ $got -eq 4 ] || fault "a sector is another: exit status $got"
holds err "$second"
status 4 report kept --format csv
[ "$(grade 1),$(grade 2)" = accepted,FAILED ] || fault "a sector is another: $(grade 1), $(grade 2)"
refused 2 'other options' accept "$first" "$second" --destroy -o kept --passes 8 --at-once one

# --at-once one: one disk after the other.
status 0 accept "$first" "$second" --destroy -o turns --passes 1 --at-once one
[ "$(overlap turns '.*')" -eq 0 ] || fault 'they worked at the same time'

# A disk that accepts no more writes.
start failing accept "$first" "$second" "$third" --destroy -o failing --passes 16
all_write failing 3
blockdev --setro "$second" 2>err || skip "no blockdev: $(cat err)"
wait "$WATCHDOG"
got=$?
blockdev --setrw "$second"
[ $got -eq 4 ] || fault "a disk failed: exit status $got: $(cat failing.err)"
holds failing.err "$second"
limited report failing --format csv >out 2>err
[ "$(grade 1),$(grade 2),$(grade 3)" = accepted,FAILED,accepted ] ||
    fault "a disk failed: $(grade 1), $(grade 2), $(grade 3)"

# Killed, then resumed with two of three disks: the third one is not touched, and need not be there.
for how in there gone; do
    start work accept "$first" "$second" "$third" --destroy -o $how --passes 8
    all_write $how 3
    kill -KILL "$SESSION"
    wait "$WATCHDOG" 2>/dev/null
    grep -q ' 1 end stage=precondition' $how/accept.state && skip 'the disks are too fast to be stopped in the middle'
    sync "$second"
    [ $how = there ] || {
        detach "$second"
        loops=$(echo "$loops" | sed "s|$second ||") # another program may get this number now
    }
    before=$(sha256sum <b)
    status 5 accept "$first" "$third" --destroy -o $how --passes 8
    status 5 accept "$third" --verify -o $how
    status 5 report $how --format csv
    [ "$(grade 1),$(grade 2),$(grade 3)" = accepted,undecided,accepted ] ||
        fault "of a disk that is $how: $(grade 1), $(grade 2), $(grade 3)"
    sync b
    [ "$before" = "$(sha256sum <b)" ] || fault "a disk was written that nobody named ($how)"
    [ $how = gone ] || status 0 accept --resume $how --destroy
done

# After a signal all disks are undecided, and the same command continues.
start stopped accept "$first" "$third" --destroy -o stopped --passes 40
all_write stopped 2
kill -INT "$SESSION"
wait "$WATCHDOG"
got=$?
[ $got -eq 5 ] || fault "a signal: exit status $got: $(cat stopped.err)"
grep -q '^cupel accept: ' stopped.err || fault "a signal: $(cat stopped.err)"
[ "$(grep -c ' end stage=precondition status=failed code=5' stopped/accept.state)" -eq 2 ] ||
    fault 'not both ended in order'

# A full folder ends the work on all disks, and no drive has failed.
mkdir full
mount -t tmpfs -o size=64k tmpfs full 2>err || skip "cannot mount: $(cat err)"
mounts="$FOLDER/full $mounts"
head -c 45056 /dev/zero >full/filler
limited accept "$first" "$third" --destroy -o full/kept --passes 100 >out 2>err
got=$?
[ $got -eq 4 ] || fault "a full folder: exit status $got instead of 4: $(cat err)"
holds err 'make room'
limited report full/kept >out 2>err
got=$?
[ $got -eq 5 ] || fault "a full folder: the drives are judged: exit status $got: $(cat err)"
holds out undecided

# Tests of the PTS in turn or at once; loop devices may share anything.
tests='--stages pts-wsat --mode client --hours 0.01 --cell-seconds 100ms'
for how in apart all; do
    # shellcheck disable=SC2086 # the options are words
    timeout -s KILL 150 "$CUPEL" accept "$first" "$third" --destroy -o "$how" $tests --at-once $how >out 2>err </dev/null
    got=$?
    [ $got -eq 0 ] || [ $got -eq 5 ] || fault "--at-once $how: exit status $got: $(cat err)"
done
[ "$(overlap apart pts-)" -eq 0 ] || fault 'tests of disks that share something ran at the same time'
[ "$(overlap all pts-)" -ge 1 ] || fault 'tests did not run at the same time'
grep -q 'up to 1 other disks were measured' all/acceptance.json || fault 'nobody says that others were measured too'
finish
