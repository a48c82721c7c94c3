#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes that complete in memory but of which most are lost when they are written out: the disk's own storage is a file of
# holes on a full filesystem. The session fails with every engine and command, and no clause passes. A disk that keeps its
# writes does not fail.
# Slow: several sessions.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs mount umount

mkdir "$FOLDER/full"
mount -t tmpfs -o size=4m tmpfs "$FOLDER/full" 2>err || skip "cannot mount: $(cat err)"
mounts="$FOLDER/full $mounts"
truncate -s 64M "$FOLDER/full/disk"
LOOP=$(losetup --find --show "$FOLDER/full/disk" 2>err) || skip "no loop device: $(cat err)"
lossy=$LOOP
blockdev --setrw "$lossy" 2>err || skip "no blockdev: $(cat err)"
# The loop device is detached before its filesystem is unmounted, however the test ends.
undo_lossy() {
    ended=$?
    losetup -d "$lossy"
    (exit $ended)
    undo
}
trap undo_lossy EXIT
truncate -s 64M "$FOLDER/disk"
attach "$FOLDER/disk"
kept=$LOOP

# lost COMMAND...: exit status 4 with the reason, and no clause passes.
lost() {
    limited "$@" >out 2>err
    got=$?
    [ $got -eq 4 ] || fault "$*: exit status $got instead of 4: $(cat err)"
    tr -s ' \n' ' ' <err >flat
    grep -q 'WRITES LOST' flat || fault "$*: the reason is $(cat err)"
    ! grep -q 'SLA KEPT\|^ *pass ' out || fault "$*: a clause passes: $(cat out)"
}

# Checks whether such writes fail at all: this kernel's loop device may keep them.
limited run "$lossy" --destroy --rw randwrite --runtime 0.2s --overhead 0 >out 2>err
[ $? -eq 4 ] || skip 'a loop device on a full filesystem takes its writes here'

options='--destroy --direct 0 --overhead 0'
# shellcheck disable=SC2086 # the options are words
for engine in uring sync readwrite stdio; do
    lost run "$lossy" $options --rw randwrite --ioengine $engine --runtime 0.4s --sla 'iops>1,errors=0'
done
# shellcheck disable=SC2086
{
    lost run "$lossy" $options --rw write --runtime 0.4s --sla 'errors=0' -o folder
    lost run "$lossy" $options --rw write --runtime 0.4s --verify
    lost run "$lossy" $options --rw randwrite --phases 2000:0.5s --sla 'errors=0'
    lost run "$lossy" $options --rw randwrite --rate_iops 2000 --runtime 0.5s --sla 'p50<10s'
    lost run "$lossy" "$kept" $options --rw randwrite --runtime 0.4s
    lost run "$lossy" $options --rw randwrite --runtime 0.3s --repeat 2
}

# The record gives the same result.
status 4 report folder
holds out 'WRITES LOST'

awk 'BEGIN { for (i = 0; i < 4000; i++) printf "1281663720%08d,host,0,Write,%d,4096,0\n", i * 1000, i * 16384 }' >writes.csv
lost replay writes.csv "$lossy" --allow-writes --destroy --allow-unwritten --direct 0 --sla 'errors=0'

printf '[global]\ndirect=0\nrw=randwrite\nbs=4k\nruntime=1\ntime_based\n[one]\nfilename=%s\n' "$lossy" >job.fio
lost run job.fio --destroy

# In a sweep such a run counts as failed, and a comparison gets no reading from it.
printf 'target: %s\ndirect: 0\nrw: randwrite\nruntime: 0.3s\nfactor bs: 4k 8k\nresponse: iops\nrepeats: 1\n' "$lossy" >plan.txt
lost sweep plan.txt --destroy -o swept
lost compare "run $lossy --destroy --direct 0 --rw randwrite" "run $lossy --destroy --direct 0 --rw randwrite --bs 8k" \
    --round 0.3s --limit 20s

# Writes that reach the disk give the usual result.
# shellcheck disable=SC2086
longer '0 5' run "$kept" $options --rw randwrite --runtime 1s --sla 'iops>1,errors=0' --verify
# shellcheck disable=SC2154 # got comes from longer
[ "$got" -eq 5 ] || holds out 'SLA KEPT'
grep -qE '^ *pass +errors=0' out || fault "writes that arrive: $(cat out)"
! grep -qE '^ *FAIL|WRITES LOST' out || fault "writes that arrive: $(cat out)"

finish
