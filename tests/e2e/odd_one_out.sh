#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Five loop devices with the same speed limit of a control group, except for one with an eighth of it: cupel qualify reports
# that one, and no other, as the odd one out, and so does --fleet with the kept report. Other load on the machine can only
# widen the intervals until no disk is named, and then both say the same, too.
# Timed: ten sessions of some seconds, whose intervals are as wide as other programs make them.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

throttle=/sys/fs/cgroup/blkio/cupel-odd-$$
mkdir "$throttle" 2>err || skip "no control group that throttles requests (blkio, version 1): $(cat err)"
remove_group() {
    gone=$?
    rmdir "$throttle" 2>/dev/null
    (exit $gone)
    undo # ends the test with that status
}
trap remove_group EXIT
[ -e "$throttle/blkio.throttle.read_iops_device" ] || skip 'this kernel throttles no requests'
disks=''
odd=''
for i in 1 2 3 4 5; do
    head -c 16777216 /dev/urandom >"disk$i"
    attach "disk$i"
    number=$(cat "/sys/block/${LOOP#/dev/}/dev")
    bytes=400000000
    requests=8000
    [ $i -ne 4 ] || {
        odd=${LOOP#/dev/}
        bytes=100000000
        requests=1000
    }
    echo "$number $bytes" >"$throttle/blkio.throttle.read_bps_device"
    echo "$number $requests" >"$throttle/blkio.throttle.read_iops_device"
    disks="$disks $LOOP"
done

# shellcheck disable=SC2086 # the disks are several words
sh -c 'echo $$ >"$0/cgroup.procs" && exec timeout -s KILL 200 "$@"' "$throttle" \
    "$CUPEL" qualify $disks --preset quick --limit 6s --full -o kept >out 2>err
got=$?
[ $got -eq 0 ] || [ $got -eq 5 ] || fault "exit status $got: $(cat err)"
tail -n 1 err >last
# No disk is faster than its limit, plus the burst that the control group lets through first.
rate=$(awk -F, -v disk="$odd" '$1 == "measurement" && $2 == disk && $5 == "randread iops" { print $8 }' kept/qualification.csv)
is_true "0 < ${rate:-0} && ${rate:-0} < 2000"
[ "$(grep -o 'loop[0-9]*: odd one out' last | grep -vc "^$odd:")" -eq 0 ] || fault "another is named: $(cat last)"

if grep -q "$odd: odd one out " last; then
    status 1 qualify --fleet kept
    holds out 'SLOW: 1 drive slower than the peers, of 5 drives in 1 machine'
    holds out "($odd)"
else
    tr -s ' \n' ' ' <out | grep -q 'other programs used' || fault "nothing else runs, and none is named: $(cat last)"
    longer '0 5' qualify --fleet kept
    lacks out 'SLOW'
fi
finish
